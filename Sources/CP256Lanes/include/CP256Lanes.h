// Sums of points of P-256, eight at once: one in each lane of a 512-bit register, with the instructions of AVX-512
// IFMA. Verification under keys known in advance spends nearly all of its time in them. Not constant-time.

#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The four 64-bit words of eight residues v·2²⁵⁶ mod p below p: word i of lane j is [i][j].
typedef uint64_t p256_lanes_words[4][8];

// Eight points (x / zz, y / zzz) with zz³ = zzz² (XYZZ coordinates).
typedef struct {
    p256_lanes_words x, y, zz, zzz;
} p256_lanes_points;

// Whether the processor and the system have what the other function needs.
bool p256_lanes_available(void);

// Adds up points of a table, which has the words of x·2²⁵⁶ and y·2²⁵⁶ of each in 64 bytes, aligned to 64.
//
// A code is twice the index of a point, plus 1 to negate it. Each block has `rows` rows of eight codes, one for each
// lane, and becomes the eight sums of its columns; there is at least one row. Where a point and the sum of those above
// it have the same x, which the formula does not cover, zz is 0 and the sum is meaningless.
void p256_lanes_add_up(const void *table, const int64_t *codes, size_t rows, size_t blocks, p256_lanes_points *sums);
