//===- ReferenceDeltaTest.cpp - References of the gated delta rule --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReferenceCase.h"

#include "gtest/gtest.h"

#include <cmath>
#include <random>

using namespace lathe;
using namespace lathe::test;

namespace {

struct Sizes {
  int64_t B, T, heads, hv, dk, dv, C = 4, P = 1;

  int64_t chunks() const { return (T + C - 1) / C; }
  /// The q and k head of value head `v`.
  int64_t head(int64_t v) const {
    return std::min(v / std::max(hv / heads, int64_t(1)), heads - 1);
  }
};

struct ChunkOutput {
  ChunkOutput(Sizes n, std::string dtype = "bf16")
      : n(n), dtype(dtype),
        q(Tensor(dtype, {n.B, n.T, n.heads, n.dk}).random(1)),
        k(Tensor(dtype, {n.B, n.T, n.heads, n.dk}).random(2)),
        v(Tensor(dtype, {n.B, n.T, n.hv, n.dv}).random(3)),
        h(Tensor(dtype, {n.B, n.chunks(), n.hv, n.dk, n.dv}).random(4)),
        g(Tensor("f32", {n.B, n.T, n.hv}).random(5, -1, 0)) {}

  Tensor run(std::vector<IndexRange> ranges = {}) const {
    Tensor out = unwritten(v);
    test::run(
        "chunk_delta_rule_output", {{"DT", dtype}}, {q, k, v, h, g}, {out},
        {{n.B, n.T, n.heads, n.hv, n.dk, n.dv, n.C}, {}, {scale}, ranges});
    return out;
  }

  Tensor expected() const {
    Tensor out = unwritten(v);
    for (int64_t b = 0; b < n.B; ++b)
      for (int64_t t = 0; t < n.T; ++t)
        for (int64_t x = 0; x < n.hv; ++x)
          for (int64_t j = 0; j < n.dv; ++j) {
            double sum = 0;
            for (int64_t d = 0; d < n.dk; ++d)
              sum += q.at({b, t, n.head(x), d}) * h.at({b, t / n.C, x, d, j}) *
                     std::exp(g.at({b, t, x}));
            for (int64_t s = t / n.C * n.C; s <= t; ++s)
              sum += q.round(weight(b, t, s, x)) * v.at({b, s, x, j});
            out.set({b, t, x, j}, sum * float(scale));
          }
    return out;
  }

  double weight(int64_t b, int64_t t, int64_t s, int64_t x) const {
    double below = g.at({b, t, x}) - g.at({b, s, x}), dot = 0;
    for (int64_t d = 0; d < n.dk; ++d)
      dot += q.at({b, t, n.head(x), d}) * k.at({b, s, n.head(x), d});
    return below <= 0 ? dot * std::exp(below) : 0;
  }

  Sizes n;
  std::string dtype;
  double scale = 0.3;
  Tensor q, k, v, h, g;
};

TEST(ReferenceDelta, OutputFollowsTheFormula) {
  for (std::string dtype : {"bf16", "f16"}) {
    // A short last chunk, shared heads, more than one batch.
    ChunkOutput first({2, 10, 2, 4, 5, 3}, dtype);
    expectSame(first.run(), first.expected());
    // Heads that do not divide.
    ChunkOutput second({1, 4, 2, 5, 3, 3}, dtype);
    expectSame(second.run(), second.expected());
  }
  EXPECT_EQ(ChunkOutput({1, 0, 1, 1, 2, 2}).run().count, 0);
}

TEST(ReferenceDelta, OutputHidesLaterAndGrowingRows) {
  ChunkOutput output({1, 4, 1, 1, 2, 2});
  output.h = Tensor("bf16", {1, 1, 1, 2, 2}).fill(0);
  output.q = Tensor("bf16", {1, 4, 1, 2}).fill(1);
  output.k = output.q;
  output.v = Tensor("bf16", {1, 4, 1, 2}).values({1, 0, 2, 0, 4, 0, 8, 0});
  output.scale = 0.5;
  output.g = Tensor("f32", {1, 4, 1}).fill(0);
  // q . k = 2: sums of v so far.
  expectSame(output.run(),
             Tensor("bf16", {1, 4, 1, 2}).values({1, 0, 3, 0, 7, 0, 15, 0}));
  // Row 1 decayed by more than rows 2 and 3: they cannot see it.
  output.g.set(1, -100);
  expectSame(output.run(),
             Tensor("bf16", {1, 4, 1, 2}).values({1, 0, 2, 0, 5, 0, 13, 0}));
}

TEST(ReferenceDelta, OutputSampleIsPartOfTheWhole) {
  ChunkOutput output({2, 6, 1, 2, 3, 3});
  EXPECT_EQ(
      referenceOf("chunk_delta_rule_output", {{"DT", "bf16"}}).sampledRank(),
      3u);
  Tensor whole = output.run(), some = output.run({{1, 2}, {3, 5}, {0, 1}});
  for (int64_t i = 0; i < whole.count; ++i) {
    int64_t b = i / 36, t = i / 6 % 6, x = i / 3 % 2;
    bool asked = b == 1 && (t == 3 || t == 4) && x == 0;
    EXPECT_EQ(some[i], asked ? whole[i] : 96);
  }
}

struct ChunkState {
  ChunkState(Sizes n, std::string dtype = "bf16")
      : n(n), dtype(dtype),
        k(Tensor(dtype, {n.B, n.T, n.heads, n.dk}).random(1)),
        w(Tensor(dtype, {n.B, n.T, n.hv, n.dk}).random(2)),
        u(Tensor(dtype, {n.B, n.T, n.hv, n.dv}).random(3)),
        g(Tensor("f32", {n.B, n.T, n.hv}).random(4, -1, 0)),
        pool(Tensor("f32", {n.P, n.hv, n.dk, n.dv}).random(5)),
        ids("i32", {n.B}),
        h(unwritten(Tensor(dtype, {n.B, n.chunks(), n.hv, n.dk, n.dv}))),
        vNew(unwritten(u)), final(unwritten(pool)) {
    for (int64_t b = 0; b < n.B; ++b)
      ids.set(b, n.P - 1 - b);
  }

  void run() {
    test::run("chunk_gated_delta_rule_state", {{"DT", dtype}},
              {k, w, u, g, pool, ids}, {h, vNew, final},
              {{n.B, n.T, n.P, n.heads, n.hv, n.dk, n.dv, n.C}, {}, {}, {}});
  }

  void expected() {
    final = pool;
    for (int64_t b = 0; b < n.B; ++b)
      for (int64_t x = 0; x < n.hv; ++x)
        scan(b, x);
  }

  /// Whole matrices, chunk by chunk.
  void scan(int64_t b, int64_t x) {
    std::vector<double> state(n.dk * n.dv);
    for (int64_t i = 0; i < n.dk * n.dv; ++i)
      state[i] = pool.at({int64_t(ids[b]), x, i / n.dv, i % n.dv});
    for (int64_t c = 0; c < n.chunks(); ++c) {
      int64_t begin = c * n.C, end = std::min(begin + n.C, n.T);
      double last = g.at({b, end - 1, x});
      std::vector<double> next = state;
      for (int64_t i = 0; i < n.dk * n.dv; ++i) {
        h.set({b, c, x, i / n.dv, i % n.dv}, state[i]);
        next[i] *= std::exp(last);
      }
      for (int64_t t = begin; t < end; ++t)
        for (int64_t j = 0; j < n.dv; ++j) {
          double value = u.at({b, t, x, j});
          for (int64_t d = 0; d < n.dk; ++d)
            value -= w.at({b, t, x, d}) * h.round(state[d * n.dv + j]);
          vNew.set({b, t, x, j}, value);
          double below = last - g.at({b, t, x});
          double kept = h.round(below <= 0 ? value * std::exp(below) : 0);
          for (int64_t d = 0; d < n.dk; ++d)
            next[d * n.dv + j] += k.at({b, t, n.head(x), d}) * kept;
        }
      state = next;
    }
    for (int64_t i = 0; i < n.dk * n.dv; ++i)
      final.set({int64_t(ids[b]), x, i / n.dv, i % n.dv}, state[i]);
  }

  Sizes n;
  std::string dtype;
  Tensor k, w, u, g, pool, ids, h, vNew, final;
};

TEST(ReferenceDelta, StateFollowsTheFormula) {
  for (std::string dtype : {"bf16", "f16"})
    for (int64_t T : {0, 1, 8, 10}) {
      // Four value heads share two key heads; five do not divide.
      ChunkState found({2, T, 2, T % 4 ? 5 : 4, 5, 3, 4, 5}, dtype),
          other = found;
      found.run();
      other.expected();
      expectSame(found.h, other.h);
      expectSame(found.vNew, other.vNew);
      expectSame(found.final, other.final);
    }
}

TEST(ReferenceDelta, StateKeepsRowsOfThePoolThatNobodyNames) {
  ChunkState state({2, 5, 1, 2, 3, 3, 4, 5});
  state.run();
  for (int64_t i = 0; i < state.pool.count; ++i)
    EXPECT_EQ(state.final[i] == state.pool[i], i / 18 < 3) << i;
}

struct Update {
  Update(Sizes n, std::string dtype = "bf16")
      : n(n), dtype(dtype), aLog(Tensor("f32", {n.hv}).random(1)),
        a(Tensor(dtype, {n.B, n.T, n.hv}).random(2)),
        dtBias(Tensor(dtype, {n.hv}).random(3)),
        q(Tensor(dtype, {n.B, n.T, n.heads, n.dk}).random(4)),
        k(Tensor(dtype, {n.B, n.T, n.heads, n.dk}).random(5)),
        v(Tensor(dtype, {n.B, n.T, n.hv, n.dv}).random(6)),
        b(Tensor(dtype, {n.B, n.T, n.hv}).random(7)),
        pool(Tensor("f32", {n.P, n.hv, n.dk, n.dv}).random(8)),
        ids("i32", {n.B}), out(unwritten(v)), final(unwritten(pool)) {
    for (int64_t i = 0; i < n.B; ++i)
      ids.set(i, n.P - 1 - i);
  }

  void run() {
    test::run("gated_delta_rule_update", {{"DT", dtype}},
              {aLog, a, dtBias, q, k, v, b, pool, ids}, {out, final},
              {{n.B, n.T, n.P, n.heads, n.hv, n.dk, n.dv},
               {normalise},
               {beta, threshold, scale},
               {}});
  }

  void expected() {
    final = pool;
    for (int64_t s = 0; s < n.B; ++s)
      for (int64_t x = 0; x < n.hv; ++x)
        scan(s, x);
  }

  std::vector<double> row(const Tensor &from, int64_t s, int64_t t,
                          int64_t x) const {
    std::vector<double> result(n.dk);
    double square = 0;
    for (int64_t d = 0; d < n.dk; ++d) {
      result[d] = from.at({s, t, n.head(x), d});
      square += result[d] * result[d];
    }
    for (double &value : result)
      value /= normalise ? std::max(std::sqrt(square), 1e-6) : 1;
    return result;
  }

  /// Whole matrices, token by token.
  void scan(int64_t s, int64_t x) {
    auto state = [&](int64_t d, int64_t j) -> double & {
      return matrix[d * n.dv + j];
    };
    matrix.resize(n.dk * n.dv);
    for (int64_t i = 0; i < n.dk * n.dv; ++i)
      matrix[i] = pool.at({int64_t(ids[s]), x, i / n.dv, i % n.dv});
    for (int64_t t = 0; t < n.T; ++t) {
      double z = a.at({s, t, x}) + dtBias[x];
      double soft = float(beta) * z > threshold
                        ? z
                        : std::log1p(std::exp(float(beta) * z)) / float(beta);
      double rate = 1 / (1 + std::exp(-b.at({s, t, x})));
      for (double &value : matrix)
        value *= std::exp(-std::exp(aLog[x]) * soft);
      std::vector<double> key = row(k, s, t, x), query = row(q, s, t, x);
      for (int64_t j = 0; j < n.dv; ++j) {
        double known = 0, result = 0;
        for (int64_t d = 0; d < n.dk; ++d)
          known += state(d, j) * key[d];
        for (int64_t d = 0; d < n.dk; ++d) {
          state(d, j) += key[d] * rate * (v.at({s, t, x, j}) - known);
          result += state(d, j) * float(scale) * query[d];
        }
        out.set({s, t, x, j}, result);
      }
    }
    for (int64_t i = 0; i < n.dk * n.dv; ++i)
      final.set({int64_t(ids[s]), x, i / n.dv, i % n.dv}, matrix[i]);
  }

  Sizes n;
  std::string dtype;
  int64_t normalise = 1;
  double beta = 1, threshold = 20, scale = 0.3;
  Tensor aLog, a, dtBias, q, k, v, b, pool, ids, out, final;
  std::vector<double> matrix;
};

/// Equal but for f32 steps in the gates.
void expectNear(const Tensor &found, const Tensor &expected, double steps) {
  ASSERT_EQ(found.count, expected.count);
  for (int64_t i = 0; i < found.count; ++i)
    EXPECT_NEAR(found[i], expected[i], steps * std::abs(expected[i]) + 1e-6);
}

TEST(ReferenceDelta, UpdateFollowsTheFormula) {
  for (std::string dtype : {"bf16", "f16"})
    for (int64_t normalise : {0, 1}) {
      Update found({2, 9, 2, 4 + normalise, 5, 3, 1, 4}, dtype);
      found.normalise = normalise;
      found.beta = 1.5;
      found.threshold = 1;
      Update other = found;
      found.run();
      other.expected();
      expectNear(found.out, other.out, dtype == "bf16" ? 0x1p-7 : 0x1p-10);
      expectNear(found.final, other.final, 1e-5);
    }
}

TEST(ReferenceDelta, UpdateReadsTheStateAfterTheToken) {
  Update update({1, 1, 1, 1, 2, 1, 1, 2});
  update.pool = Tensor("f32", {2, 1, 2, 1}).values({9, 9, 8, 16});
  update.ids.set(0, 1);
  update.aLog.set(0, 0);
  update.dtBias.set(0, 0);
  update.a.set(0, 0); // decay = exp(-ln 2) = 1/2
  update.b.set(0, 0); // rate = 1/2
  update.k = Tensor("bf16", {1, 1, 1, 2}).values({0, 2});
  update.q = Tensor("bf16", {1, 1, 1, 2}).values({3, 4});
  update.v.set(0, 12);
  update.scale = 1;
  update.run();
  // S = (4, 8); k = (0, 1): d = (12 - 8) / 2 = 2; S = (4, 10); q = (.6, .8).
  EXPECT_NEAR(update.final[2], 4, 1e-5);
  EXPECT_NEAR(update.final[3], 10, 1e-5);
  EXPECT_NEAR(update.out[0], 10.4, 0.03);
  EXPECT_EQ(update.final[0], 9);
  EXPECT_EQ(update.final[1], 9);
}

TEST(ReferenceDelta, UpdateOfZeroKeysKeepsTheDecayedState) {
  Update update({1, 3, 1, 1, 2, 2});
  update.k = Tensor("bf16", {1, 3, 1, 2}).fill(0);
  update.aLog.set(0, -INFINITY); // no decay
  update.run();
  expectSame(update.final, update.pool);
  // Above the threshold softplus is the identity, so this decays to nothing.
  update.aLog.set(0, 10);
  update.dtBias.set(0, 100);
  update.run();
  for (int64_t i = 0; i < 4; ++i)
    EXPECT_EQ(update.final[i], 0);
}

TEST(ReferenceDelta, UpdateDividesByANormThatF32Holds) {
  Update update({1, 1, 1, 1, 2, 1});
  update.aLog.set(0, -INFINITY);
  update.pool = Tensor("f32", {1, 1, 2, 1}).values({2, 3});
  update.b.set(0, 100); // rate = 1
  update.v.set(0, 7);
  update.scale = 1;
  update.q = Tensor("bf16", {1, 1, 1, 2}).values({0, 4});
  // Below 1e-6 the key counts as that long: it is half a unit.
  update.k = Tensor("bf16", {1, 1, 1, 2}).values({0, 0x1p-21});
  update.run();
  double key = 0x1p-21 / 1e-6, state = 3 + key * (7 - 3 * key);
  EXPECT_NEAR(update.final[1], state, 1e-5);
  EXPECT_EQ(update.out[0], update.v.round(state));
  // Its square is beyond f32: divided by infinity the key is zero.
  update.k.set(1, 1e30);
  update.run();
  EXPECT_EQ(update.final[1], 3);
}

TEST(ReferenceDelta, UpdateOfTwoHalvesIsTheWhole) {
  Update whole({1, 6, 1, 2, 4, 3}), first({1, 4, 1, 2, 4, 3}),
      second({1, 2, 1, 2, 4, 3});
  auto split = [](const Tensor &from, Tensor &a, Tensor &b) {
    for (int64_t i = 0; i < from.count; ++i)
      i < a.count ? a.set(i, from[i]) : b.set(i - a.count, from[i]);
  };
  for (Tensor Update::*part :
       {&Update::a, &Update::q, &Update::k, &Update::v, &Update::b})
    split(whole.*part, first.*part, second.*part);
  whole.run();
  first.run();
  second.pool = first.final;
  second.run();
  Tensor a = first.out, b = second.out;
  split(whole.out, a, b);
  expectNear(first.out, a, 0x1p-7);
  expectNear(second.out, b, 0x1p-7);
  expectNear(second.final, whole.final, 1e-6);
}

TEST(ReferenceDelta, ChunksAgreeWithTokens) {
  // Orthogonal keys within a chunk, no decay and a rate of 1/2: then
  // w = k / 2 and u = v / 2, and the numbers are few bits, so nothing rounds.
  Sizes n{1, 8, 1, 2, 4, 3, 4, 1};
  Update tokens(n);
  tokens.normalise = 0;
  tokens.scale = 0.5;
  tokens.aLog = Tensor("f32", {2}).fill(-INFINITY);
  tokens.b = Tensor("bf16", {1, 8, 2}).fill(0);
  tokens.k = Tensor("bf16", {1, 8, 1, 4}).fill(0);
  for (int64_t t = 0; t < 8; ++t)
    tokens.k.set({0, t, 0, (t * 3 + t / 4) % 4}, t % 3 ? 1 : -1);
  auto integers = [](Tensor &tensor, unsigned seed) {
    std::mt19937 engine(seed);
    for (int64_t i = 0; i < tensor.count; ++i)
      tensor.set(i, int(engine() % 9) - 4);
  };
  integers(tokens.v, 1);
  integers(tokens.q, 2);
  integers(tokens.pool, 3);
  tokens.run();

  ChunkState state(n);
  state.k = tokens.k;
  state.pool = tokens.pool;
  state.g = Tensor("f32", {1, 8, 2}).fill(0);
  for (int64_t t = 0; t < 8; ++t)
    for (int64_t x = 0; x < 2; ++x) {
      for (int64_t d = 0; d < 4; ++d)
        state.w.set({0, t, x, d}, tokens.k.at({0, t, 0, d}) / 2);
      for (int64_t j = 0; j < 3; ++j)
        state.u.set({0, t, x, j}, tokens.v.at({0, t, x, j}) / 2);
    }
  state.run();
  expectSame(state.final, tokens.final);

  ChunkOutput output(n);
  output.q = tokens.q;
  output.k = tokens.k;
  output.v = state.vNew;
  output.h = state.h;
  output.g = state.g;
  output.scale = 0.5;
  expectSame(output.run(), tokens.out);
}

} // namespace
