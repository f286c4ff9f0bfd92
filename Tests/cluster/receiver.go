// A plain receiver, for comparison: it believes what it is sent, and commits each postback by itself.
package main

import (
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"io"
	"log"
	"net/http"
	"os"

	_ "github.com/lib/pq"
)

func main() {
	db, err := sql.Open("postgres", os.Args[2])
	if err != nil {
		log.Fatal(err)
	}
	db.SetMaxOpenConns(64)
	db.SetMaxIdleConns(64)
	if _, err = db.Exec(`CREATE TABLE IF NOT EXISTS postback (
		key text PRIMARY KEY, received_at timestamptz NOT NULL DEFAULT now(), body bytea NOT NULL)`); err != nil {
		log.Fatal(err)
	}
	insert, err := db.Prepare("INSERT INTO postback (key, body) VALUES ($1, $2) ON CONFLICT (key) DO NOTHING")
	if err != nil {
		log.Fatal(err)
	}
	http.HandleFunc("/", func(response http.ResponseWriter, request *http.Request) {
		body, err := io.ReadAll(io.LimitReader(request.Body, 65536))
		var fields map[string]interface{}
		if err != nil || json.Unmarshal(body, &fields) != nil {
			http.Error(response, "{}", http.StatusBadRequest)
			return
		}
		digest := sha256.Sum256(body)
		if _, err = insert.Exec(hex.EncodeToString(digest[:]), body); err != nil {
			http.Error(response, "{}", http.StatusServiceUnavailable)
			return
		}
		response.Header().Set("Content-Type", "application/json")
		io.WriteString(response, `{"status":"recorded","provenance":"test"}`+"\n")
	})
	log.Fatal(http.ListenAndServe("127.0.0.1:"+os.Args[1], nil))
}
