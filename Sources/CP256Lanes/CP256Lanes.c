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

// Makes signed limbs into limbs of 52 bits. Of a negative number the highest limb stays negative.
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

// Stores the words of a number below 2p modulo p.
INLINE void store_words(p256_lanes_words words, residues a) {
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
        _mm512_storeu_si512(words[i], _mm512_or_si512(low, _mm512_slli_epi64(a.limbs[i + 1], 52 - 12 * i)));
    }
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

// Table points are rarely in a cache; they are fetched while earlier ones are added.
#define ROWS_AHEAD 4

INLINE void prefetch(const char *table, const int64_t *codes) {
    UNROLLED for (int i = 0; i < 8; i++) _mm_prefetch(table + ((codes[i] >> 1) << 6), _MM_HINT_T0);
}

// Reads eight points of a table; coordinates below 2.01p.
INLINE void load_points(const char *table, const int64_t *codes, residues *x, residues *y) {
    residues zero = {{all(0), all(0), all(0), all(0), all(0)}};
    __m512i rows[8];
    UNROLLED for (int i = 0; i < 8; i++) rows[i] = _mm512_loadu_si512(table + ((codes[i] >> 1) << 6));
    transpose(rows);
    *x = fold(sixteenfold(rows));
    *y = sixteenfold(rows + 4);
    residues opposite = subtract(zero, *y, 16);
    __mmask8 negative = _mm512_test_epi64_mask(_mm512_loadu_si512(codes), all(1));
    UNROLLED for (int i = 0; i < 5; i++) {
        y->limbs[i] = _mm512_mask_mov_epi64(y->limbs[i], negative, opposite.limbs[i]);
    }
    *y = fold(*y);
}

// Stores the words of residues below 2.01p, with 2²⁵⁶ instead of 2²⁶⁰.
INLINE void store_residues(p256_lanes_words words, residues a) {
    residues radix = {{all(0), all(0), all(0), all(0), all(1ull << 48)}};
    store_words(words, multiply(a, radix));
}

LANES void p256_lanes_add_up(const void *table, const int64_t *codes, size_t rows, size_t blocks,
                             p256_lanes_points *sums) {
    // 2²⁵⁶ mod p, which stands for 1.
    const uint64_t one_words[4] = {1, 0xffffffff00000000ull, 0xffffffffffffffffull, 0x00000000fffffffeull};
    __m512i one_rows[4];
    UNROLLED for (int i = 0; i < 4; i++) one_rows[i] = all(one_words[i]);
    const residues one = fold(sixteenfold(one_rows));
    const int64_t *end = codes + 8 * rows * blocks;
    for (size_t row = 0; row < ROWS_AHEAD && row < rows * blocks; row++) prefetch(table, codes + 8 * row);
    for (size_t block = 0; block < blocks; block++) {
        residues x1, y1, zz = one, zzz = one;
        for (size_t row = 0; row < rows; row++, codes += 8) {
            if (end - codes > 8 * ROWS_AHEAD) prefetch(table, codes + 8 * ROWS_AHEAD);
            residues x2, y2;
            load_points(table, codes, &x2, &y2);
            if (row == 0) {
                x1 = x2;
                y1 = y2;
                continue;
            }
            // x1, y1, zz and zzz are below 2.01p here. Multiplications that do not depend on each other are grouped, so
            // that the processor can overlap them.
            residues dx = carry(subtract(multiply(x2, zz), x1, 3));         // 0.9p … 4.3p
            residues dy = carry(subtract(multiply(y2, zzz), y1, 3));        // 0.9p … 4.3p
            residues dx2 = square(dx);                                      // < 2.2p
            residues x3 = square(dy);                                       // < 2.2p
            residues dx3 = multiply(dx, dx2);                               // < 1.6p
            residues q = multiply(x1, dx2);                                 // < 1.3p
            zz = multiply(zz, dx2);                                         // < 1.3p
            x3 = subtract(x3, dx3, 5);
            UNROLLED for (int i = 0; i < 5; i++) {
                x3.limbs[i] = _mm512_sub_epi64(x3.limbs[i], _mm512_slli_epi64(q.limbs[i], 1));
            }
            x1 = fold(x3);                                                  // folds 0.8p … 7.2p
            residues y3 = multiply(dy, carry(subtract(q, x1, 3)));          // < 2.2p
            y1 = fold(subtract(y3, multiply(y1, dx3), 2));                  // folds 0.7p … 4.2p
            zzz = multiply(zzz, dx3);                                       // < 1.3p
        }
        store_residues(sums[block].x, x1);
        store_residues(sums[block].y, y1);
        store_residues(sums[block].zz, zz);
        store_residues(sums[block].zzz, zzz);
    }
}

#else

// Nothing calls these where they are not available.
bool p256_lanes_available(void) { return false; }

void p256_lanes_add_up(const void *table, const int64_t *codes, size_t rows, size_t blocks,
                       p256_lanes_points *sums) {
    __builtin_trap();
}

#endif
