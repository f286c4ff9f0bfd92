// Additions of points of P-256, eight at once: one in each lane of a 512-bit register, with the instructions of AVX-512
// IFMA. Verification under keys known in advance spends nearly all of its time in such additions. Not constant-time.
//
// "Words" are four 64-bit words of eight residues x·2²⁵⁶ mod p below p: word i of lane j is words[8 * i + j].

#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Eight residues x·2²⁶⁰ mod p, below 2.01p, in five limbs of 52 bits, least significant first.
typedef struct {
    uint64_t limbs[5][8];
} p256_lanes_residues;

// Eight points.
typedef struct {
    p256_lanes_residues x, y;
} p256_lanes_points;

// Whether the processor and the system have what the other functions need.
bool p256_lanes_available(void);

// Reads 8 · count points of a table: of each, the words of x·2²⁵⁶ and y·2²⁵⁶ in 64 bytes, aligned to 64. A code is
// twice the index of a point, plus 1 to negate it.
void p256_lanes_load(const void *table, const int64_t *codes, size_t count, p256_lanes_points *points);

// Multiplies the differences x₂ − x₁ of count pairs, in each lane, stores the product before each pair, and returns
// the words of the whole. A difference of 0 is left out and marked in exceptions[pair % blocks], a bit for each lane;
// so are fewer than one in 2⁴⁹ of the others.
void p256_lanes_multiply(const p256_lanes_points *left, const p256_lanes_points *right, size_t count, size_t blocks,
                         p256_lanes_residues *products, uint64_t *words, uint8_t *exceptions);

// Adds the right points to the left ones, given the products and the words of the inverse of the whole. The sum of a
// pair that is marked as an exception is meaningless.
void p256_lanes_add(p256_lanes_points *left, const p256_lanes_points *right, size_t count,
                    const p256_lanes_residues *products, const uint64_t *words);

// The words of the numbers x themselves, not multiplied by 2²⁵⁶.
void p256_lanes_x(const p256_lanes_points *points, uint64_t *words);
