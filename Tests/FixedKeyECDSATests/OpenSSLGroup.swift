import COpenSSL
import FixedKeyECDSA

/// The points of a curve, by OpenSSL, to make keys and signatures from chosen numbers.
final class OpenSSLGroup {
    let curve: ECDSACurve
    /// The order n.
    let order: Number
    /// The prime p.
    let prime: Number
    private let group: OpaquePointer

    init(_ curve: ECDSACurve) {
        guard let group = EC_GROUP_new_by_curve_name(curve.nid) else { fatalError("OpenSSL lacks \(curve)") }
        self.group = group
        self.curve = curve
        (order, prime) = (Number(0), Number(0))
        EC_GROUP_get_order(group, order.pointer, nil)
        EC_GROUP_get_curve(group, prime.pointer, nil, nil, nil)
    }

    deinit { EC_GROUP_free(group) }

    /// `g` times the generator plus `factor` times `point`, uncompressed; `nil` for infinity.
    func sum(_ g: Number, _ point: [UInt8]? = nil, times factor: Number? = nil) -> [UInt8]? {
        let (result, other) = (EC_POINT_new(group), EC_POINT_new(group))
        defer {
            EC_POINT_free(result)
            EC_POINT_free(other)
        }
        if let point {
            EC_POINT_oct2point(group, other, point, point.count, nil)
        }
        EC_POINT_mul(group, result, g.pointer, point == nil ? nil : other, factor?.pointer, nil)
        return bytes(of: result)
    }

    /// A point with this x, `nil` if the curve has none.
    func point(x: Number) -> [UInt8]? {
        let result = EC_POINT_new(group)
        defer {
            EC_POINT_free(result)
            ERR_clear_error()
        }
        guard EC_POINT_set_compressed_coordinates(group, result, x.pointer, 0, nil) == 1 else { return nil }
        return bytes(of: result)
    }

    /// The x of an uncompressed point.
    func x(of point: [UInt8]) -> Number {
        Number(bytes: Array(point[1...curve.size]))
    }

    private func bytes(of point: OpaquePointer?) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: 1 + 2 * curve.size)
        let count = EC_POINT_point2oct(group, point, POINT_CONVERSION_UNCOMPRESSED, &bytes, bytes.count, nil)
        return count == bytes.count ? bytes : nil
    }
}
