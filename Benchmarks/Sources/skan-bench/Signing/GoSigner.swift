import Foundation

/// A small server in Go that signs with its own P-256: what a network would write itself.
struct GoSigner {
    private let program: String

    /// Builds it; nil where there is no Go.
    init?(in workspace: Workspace) throws {
        guard (try? ChildProcess.output(of: ["go", "version"], in: workspace)) != nil else {
            return nil
        }
        let source = workspace.file("signer.go")
        try Self.source.write(toFile: source, atomically: false, encoding: .utf8)
        program = workspace.file("signer")
        _ = try ChildProcess.output(of: ["go", "build", "-o", program, source], in: workspace)
    }

    func serve(on cores: String, in workspace: Workspace) throws -> Server {
        try Server([program], listeners: [.signing], on: cores, in: workspace)
    }

    /// For Debian's Go 1.19, too, whose patterns have no method.
    ///
    /// It reads less of a request, and checks less, than skan: it makes the signatures and verifies each.
    private static let source = #"""
        package main

        import (
            "crypto/ecdsa"
            "crypto/elliptic"
            "crypto/rand"
            "crypto/sha256"
            "encoding/base64"
            "encoding/json"
            "fmt"
            "net"
            "net/http"
            "os"
            "strings"
            "time"
        )

        var key, _ = ecdsa.GenerateKey(elliptic.P256(), rand.Reader)

        type signed struct {
            Nonce     string `json:"nonce"`
            Timestamp int64  `json:"timestamp"`
            Signature string `json:"attribution-signature"`
        }

        func sign(network, source string, item, app int64, fidelity int) (signed, error) {
            var id [16]byte
            rand.Read(id[:])
            id[6], id[8] = id[6]&0x0f|0x40, id[8]&0x3f|0x80
            nonce := fmt.Sprintf("%x-%x-%x-%x-%x", id[:4], id[4:6], id[6:8], id[8:10], id[10:])
            now := time.Now().UnixMilli()
            text := strings.Join([]string{"4.0", network, source, fmt.Sprint(item), nonce, fmt.Sprint(app),
                fmt.Sprint(fidelity), fmt.Sprint(now)}, "\u2063")
            digest := sha256.Sum256([]byte(text))
            signature, err := ecdsa.SignASN1(rand.Reader, key, digest[:])
            if err != nil {
                return signed{}, err
            }
            if !ecdsa.VerifyASN1(&key.PublicKey, digest[:], signature) {
                return signed{}, fmt.Errorf("the signature does not verify")
            }
            return signed{nonce, now, base64.StdEncoding.EncodeToString(signature)}, nil
        }

        func answer(w http.ResponseWriter, count int, network, source string, item, app int64) {
            list := make([]signed, count)
            for i := range list {
                var err error
                if list[i], err = sign(network, source, item, app, i); err != nil {
                    http.Error(w, err.Error(), 500)
                    return
                }
            }
            w.Header().Set("Content-Type", "application/json")
            json.NewEncoder(w).Encode(map[string]any{"status": "signed", "impressions": list})
        }

        func main() {
            http.HandleFunc("/v1/impressions", func(w http.ResponseWriter, r *http.Request) {
                var order struct {
                    Network string `json:"ad-network-id"`
                    Item    int64  `json:"itunes-item-id"`
                    App     int64  `json:"source-app-id"`
                    Source  int64  `json:"source-identifier"`
                }
                if err := json.NewDecoder(r.Body).Decode(&order); err != nil {
                    http.Error(w, err.Error(), 400)
                    return
                }
                answer(w, 1, order.Network, fmt.Sprint(order.Source), order.Item, order.App)
            })
            http.HandleFunc("/v1/openrtb/skadn", func(w http.ResponseWriter, r *http.Request) {
                var bid struct {
                    Skadn struct {
                        Networks []string `json:"skadnetids"`
                    } `json:"skadn"`
                    Advertise struct {
                        Item   int64 `json:"itunesitem"`
                        Source int64 `json:"sourceidentifier"`
                    } `json:"advertise"`
                }
                if err := json.NewDecoder(r.Body).Decode(&bid); err != nil || len(bid.Skadn.Networks) == 0 {
                    http.Error(w, "not a bid", 400)
                    return
                }
                answer(w, 3, bid.Skadn.Networks[0], fmt.Sprint(bid.Advertise.Source), bid.Advertise.Item, 1)
            })
            listener, err := net.Listen("tcp", "127.0.0.1:0")
            if err != nil {
                panic(err)
            }
            fmt.Fprintf(os.Stderr, "listening for signing address=%s\n", listener.Addr())
            panic(http.Serve(listener, nil))
        }
        """#
}
