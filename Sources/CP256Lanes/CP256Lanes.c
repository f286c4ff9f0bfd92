#include "CP256Lanes.h"

#if defined(__x86_64__)

#include <immintrin.h>

#define LANES __attribute__((target("avx512f,avx512ifma")))
#define INLINE LANES static inline __attribute__((always_inline))
#define UNROLLED _Pragma("clang loop unroll(full)")

bool p256_lanes_available(void) {
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512ifma");
}

// Eight residues. What is multiplied must have limbs of 52 bits. Bounds follow from 2²⁶⁰ being nearly 16p: a product of
// numbers below αp and βp is below (αβ/16 + 1)p.
typedef struct {
    __m512i limbs[5];
} residues;

#define LIMB_MASK 0xfffffffffffffull

// p = 2²⁵⁶ − 2²²⁴ + 2¹⁹² + 2⁹⁶ − 1
static const uint64_t prime[5] = {0xfffffffffffffull, 0x00fffffffffffull, 0, 0x0001000000000ull, 0x0ffffffff0000ull};

INLINE __m512i all(uint64_t value) { return _mm512_set1_epi64((long long)value); }

INLINE residues load(const p256_lanes_residues *source) {
    residues result;
    UNROLLED for (int i = 0; i < 5; i++) result.limbs[i] = _mm512_loadu_si512(source->limbs[i]);
    return result;
}

INLINE void store(p256_lanes_residues *target, residues a) {
    UNROLLED for (int i = 0; i < 5; i++) _mm512_storeu_si512(target->limbs[i], a.limbs[i]);
}

// Makes signed limbs into limbs of 52 bits; the number is not negative.
INLINE residues carry(residues a) {
    UNROLLED for (int i = 0; i < 4; i++) {
        a.limbs[i + 1] = _mm512_add_epi64(a.limbs[i + 1], _mm512_srai_epi64(a.limbs[i], 52));
        a.limbs[i] = _mm512_and_si512(a.limbs[i], all(LIMB_MASK));
    }
    return a;
}

// a − b + multiple · p, without carrying.
INLINE residues subtract(residues a, residues b, uint64_t multiple) {
    UNROLLED for (int i = 0; i < 5; i++) {
        a.limbs[i] = _mm512_add_epi64(_mm512_sub_epi64(a.limbs[i], b.limbs[i]), all(multiple * prime[i]));
    }
    return a;
}

// Brings a number from 0 to 2²⁶⁰, in signed limbs of up to 57 bits, below 2.01p: subtracts p once less than the highest
// limb suggests, since the other limbs may make the number a little smaller.
INLINE residues fold(residues a) {
    __m512i k = _mm512_sub_epi64(_mm512_srai_epi64(a.limbs[4], 48), all(1));
    a.limbs[0] = _mm512_add_epi64(a.limbs[0], k);
    a.limbs[1] = _mm512_sub_epi64(a.limbs[1], _mm512_slli_epi64(k, 96 - 52));
    a.limbs[3] = _mm512_sub_epi64(a.limbs[3], _mm512_slli_epi64(k, 192 - 156));
    a.limbs[4] = _mm512_add_epi64(a.limbs[4], _mm512_slli_epi64(k, 224 - 208));
    a.limbs[4] = _mm512_sub_epi64(a.limbs[4], _mm512_slli_epi64(k, 256 - 208));
    return carry(a);
}

// Divides a product by 2²⁶⁰ modulo p. As p ≡ −1 mod 2⁵², the multiple of p that clears the lowest limb q is q·p itself,
// and q + q·p = q·2⁹⁶ + q·2¹⁹² + q·(2²⁵⁶ − 2²²⁴).
INLINE residues divide(__m512i t[10]) {
    __m512i limb1 = all(1ull << (96 - 52)), limb3 = all(prime[3]), limb4 = all(prime[4]);
    UNROLLED for (int i = 0; i < 5; i++) {
        // The multiplications ignore what is above the 52 bits of q.
        __m512i q = t[i];
        t[i + 1] = _mm512_add_epi64(t[i + 1], _mm512_srli_epi64(q, 52));
        t[i + 1] = _mm512_madd52lo_epu64(t[i + 1], q, limb1);
        t[i + 2] = _mm512_madd52hi_epu64(t[i + 2], q, limb1);
        t[i + 3] = _mm512_madd52lo_epu64(t[i + 3], q, limb3);
        t[i + 4] = _mm512_madd52hi_epu64(t[i + 4], q, limb3);
        t[i + 4] = _mm512_madd52lo_epu64(t[i + 4], q, limb4);
        t[i + 5] = _mm512_madd52hi_epu64(t[i + 5], q, limb4);
    }
    residues result;
    UNROLLED for (int i = 0; i < 5; i++) result.limbs[i] = t[i + 5];
    return carry(result);
}

INLINE residues multiply(residues a, residues b) {
    __m512i t[10];
    UNROLLED for (int i = 0; i < 10; i++) t[i] = _mm512_setzero_si512();
    UNROLLED for (int i = 0; i < 5; i++) {
        UNROLLED for (int j = 0; j < 5; j++) {
            t[i + j] = _mm512_madd52lo_epu64(t[i + j], a.limbs[i], b.limbs[j]);
            t[i + j + 1] = _mm512_madd52hi_epu64(t[i + j + 1], a.limbs[i], b.limbs[j]);
        }
    }
    return divide(t);
}

INLINE residues square(residues a) {
    __m512i t[10];
    UNROLLED for (int i = 0; i < 10; i++) t[i] = _mm512_setzero_si512();
    // The ten mixed products once …
    UNROLLED for (int i = 0; i < 5; i++) {
        UNROLLED for (int j = i + 1; j < 5; j++) {
            t[i + j] = _mm512_madd52lo_epu64(t[i + j], a.limbs[i], a.limbs[j]);
            t[i + j + 1] = _mm512_madd52hi_epu64(t[i + j + 1], a.limbs[i], a.limbs[j]);
        }
    }
    // … doubled, and the five squares.
    UNROLLED for (int i = 1; i < 9; i++) t[i] = _mm512_add_epi64(t[i], t[i]);
    UNROLLED for (int i = 0; i < 5; i++) {
        t[2 * i] = _mm512_madd52lo_epu64(t[2 * i], a.limbs[i], a.limbs[i]);
        t[2 * i + 1] = _mm512_madd52hi_epu64(t[2 * i + 1], a.limbs[i], a.limbs[i]);
    }
    return divide(t);
}

// 16a in limbs, from the words of a: the residue with 2²⁶⁰ from that with 2²⁵⁶. It is below 2²⁶⁰, not yet below 2.01p.
INLINE residues sixteenfold(const __m512i words[4]) {
    residues a;
    a.limbs[0] = _mm512_slli_epi64(words[0], 4);
    UNROLLED for (int i = 1; i < 4; i++) {
        int used = 52 * i - 4 - 64 * (i - 1);
        a.limbs[i] = _mm512_or_si512(_mm512_srli_epi64(words[i - 1], used), _mm512_slli_epi64(words[i], 64 - used));
    }
    a.limbs[4] = _mm512_srli_epi64(words[3], 12);
    UNROLLED for (int i = 0; i < 4; i++) a.limbs[i] = _mm512_and_si512(a.limbs[i], all(LIMB_MASK));
    return a;
}

INLINE residues load_words(const uint64_t *words) {
    __m512i rows[4];
    UNROLLED for (int i = 0; i < 4; i++) rows[i] = _mm512_loadu_si512(words + 8 * i);
    return fold(sixteenfold(rows));
}

// Stores the words of a number below 2p modulo p.
INLINE void store_words(uint64_t *words, residues a) {
    residues zero = {{all(0), all(0), all(0), all(0), all(0)}};
    residues difference = a;
    UNROLLED for (int i = 0; i < 5; i++) {
        difference.limbs[i] = _mm512_sub_epi64(a.limbs[i], all(prime[i]));
    }
    difference = carry(difference);
    __mmask8 below = _mm512_cmplt_epi64_mask(difference.limbs[4], zero.limbs[4]);
    UNROLLED for (int i = 0; i < 5; i++) {
        a.limbs[i] = _mm512_mask_mov_epi64(difference.limbs[i], below, a.limbs[i]);
    }
    UNROLLED for (int i = 0; i < 4; i++) {
        __m512i low = _mm512_srli_epi64(a.limbs[i], 12 * i);
        _mm512_storeu_si512(words + 8 * i, _mm512_or_si512(low, _mm512_slli_epi64(a.limbs[i + 1], 52 - 12 * i)));
    }
}

// x₂ − x₁ + 3p, between 0 and 5.01p. It is 0 modulo p only as p, 2p, … 5p, whose lowest limbs are 2⁵² − 1, … 2⁵² − 5.
// Any number with such a limb is taken for 0, and replaced by 1.
INLINE residues difference(residues x1, residues x2, __mmask8 *zero) {
    residues result = carry(subtract(x2, x1, 3));
    *zero = _mm512_cmpge_epu64_mask(result.limbs[0], all(LIMB_MASK + 1 - 5));
    if (__builtin_expect(*zero, 0)) {
        UNROLLED for (int i = 0; i < 5; i++) {
            result.limbs[i] = _mm512_mask_mov_epi64(result.limbs[i], *zero, all(i == 0));
        }
    }
    return result;
}

LANES void p256_lanes_multiply(const p256_lanes_points *left, const p256_lanes_points *right, size_t count,
                               size_t blocks, p256_lanes_residues *products, uint64_t *words, uint8_t *exceptions) {
    // 2²⁵⁶ mod p, which stands for 1.
    const uint64_t one_words[4] = {1, 0xffffffff00000000ull, 0xffffffffffffffffull, 0x00000000fffffffeull};
    __m512i rows[4];
    UNROLLED for (int i = 0; i < 4; i++) rows[i] = all(one_words[i]);
    residues product = fold(sixteenfold(rows));
    size_t block = 0;
    for (size_t i = 0; i < count; i++) {
        store(&products[i], product);
        __mmask8 zero;
        // Below 1.7p, after the 2.01p of the start: 5.01 · 2.01 / 16 + 1 < 1.7.
        product = multiply(product, difference(load(&left[i].x), load(&right[i].x), &zero));
        exceptions[block] |= zero;
        if (++block == blocks) block = 0;
    }
    // A product with 2²⁵⁶ turns one form into the other.
    residues radix = {{all(0), all(0), all(0), all(0), all(1ull << 48)}};
    store_words(words, multiply(product, radix));
}

LANES void p256_lanes_add(p256_lanes_points *left, const p256_lanes_points *right, size_t count,
                          const p256_lanes_residues *products, const uint64_t *words) {
    residues inverse = load_words(words);
    for (size_t i = count; i-- > 0;) {
        residues x1 = load(&left[i].x), x2 = load(&right[i].x), y1 = load(&left[i].y), y2 = load(&right[i].y);
        __mmask8 zero;
        residues own = multiply(inverse, load(&products[i]));           // < 1.3p
        inverse = multiply(inverse, difference(x1, x2, &zero));         // < 1.7p
        residues slope = multiply(carry(subtract(y2, y1, 3)), own);     // < 1.5p
        residues x3 = subtract(square(slope), x1, 6);                   // 1.9p … 7.2p
        UNROLLED for (int j = 0; j < 5; j++) x3.limbs[j] = _mm512_sub_epi64(x3.limbs[j], x2.limbs[j]);
        x3 = fold(x3);
        residues y3 = multiply(slope, carry(subtract(x1, x3, 3)));      // < 1.5p
        store(&left[i].x, x3);
        store(&left[i].y, fold(subtract(y3, y1, 4)));
    }
}

LANES void p256_lanes_x(const p256_lanes_points *points, uint64_t *words) {
    residues one = {{all(1), all(0), all(0), all(0), all(0)}};
    store_words(words, multiply(load(&points->x), one));
}

// Turns eight rows of eight words into columns.
INLINE void transpose(__m512i rows[8]) {
    __m512i pairs[8], fours[8];
    UNROLLED for (int i = 0; i < 8; i += 2) {
        pairs[i] = _mm512_unpacklo_epi64(rows[i], rows[i + 1]);      // words 0, 2, 4, 6 of two rows
        pairs[i + 1] = _mm512_unpackhi_epi64(rows[i], rows[i + 1]);  // words 1, 3, 5, 7
    }
    UNROLLED for (int i = 0; i < 8; i += 4) {
        UNROLLED for (int odd = 0; odd < 2; odd++) {
            // Words 0 and 4 (1 and 5) of four rows; words 2 and 6 (3 and 7).
            fours[i + odd] = _mm512_shuffle_i64x2(pairs[i + odd], pairs[i + 2 + odd], 0x88);
            fours[i + 2 + odd] = _mm512_shuffle_i64x2(pairs[i + odd], pairs[i + 2 + odd], 0xdd);
        }
    }
    UNROLLED for (int i = 0; i < 4; i++) {
        rows[i] = _mm512_shuffle_i64x2(fours[i], fours[i + 4], 0x88);
        rows[i + 4] = _mm512_shuffle_i64x2(fours[i], fours[i + 4], 0xdd);
    }
}

// The processor waits for points of a table that is larger than its caches; it waits for many at once.
#define BLOCKS_AHEAD 4

INLINE void prefetch(const char *table, const int64_t *codes) {
    UNROLLED for (int i = 0; i < 8; i++) _mm_prefetch(table + ((codes[i] >> 1) << 6), _MM_HINT_T0);
}

LANES void p256_lanes_load(const void *table, const int64_t *codes, size_t count, p256_lanes_points *points) {
    for (size_t i = 0; i < count && i < BLOCKS_AHEAD; i++) prefetch(table, codes + 8 * i);
    residues zero = {{all(0), all(0), all(0), all(0), all(0)}};
    for (size_t i = 0; i < count; i++) {
        const int64_t *own = codes + 8 * i;
        if (i + BLOCKS_AHEAD < count) prefetch(table, own + 8 * BLOCKS_AHEAD);
        __m512i rows[8];
        UNROLLED for (int j = 0; j < 8; j++) {
            rows[j] = _mm512_loadu_si512((const char *)table + ((own[j] >> 1) << 6));
        }
        transpose(rows);
        residues y = sixteenfold(rows + 4), opposite = subtract(zero, y, 16);
        __mmask8 negative = _mm512_test_epi64_mask(_mm512_loadu_si512(own), all(1));
        UNROLLED for (int j = 0; j < 5; j++) {
            y.limbs[j] = _mm512_mask_mov_epi64(y.limbs[j], negative, opposite.limbs[j]);
        }
        store(&points[i].x, fold(sixteenfold(rows)));
        store(&points[i].y, fold(y));
    }
}

#else

// Nothing calls these where they are not available.
bool p256_lanes_available(void) { return false; }

void p256_lanes_load(const void *table, const int64_t *codes, size_t count, p256_lanes_points *points) {
    __builtin_trap();
}

void p256_lanes_multiply(const p256_lanes_points *left, const p256_lanes_points *right, size_t count, size_t blocks,
                         p256_lanes_residues *products, uint64_t *words, uint8_t *exceptions) {
    __builtin_trap();
}

void p256_lanes_add(p256_lanes_points *left, const p256_lanes_points *right, size_t count,
                    const p256_lanes_residues *products, const uint64_t *words) {
    __builtin_trap();
}

void p256_lanes_x(const p256_lanes_points *points, uint64_t *words) { __builtin_trap(); }

#endif
