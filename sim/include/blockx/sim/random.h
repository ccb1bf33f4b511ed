#ifndef BLOCKX_SIM_RANDOM_H_
#define BLOCKX_SIM_RANDOM_H_

#include <cstdint>
#include <string_view>

namespace blockx::sim {

// What a random choice decides. Part of the key, so that the choices about one entity are
// independent of each other. The numbers are part of every recorded digest: a new choice takes a
// new number, an old number is never used again.
enum class Choice : std::uint32_t {
  kArrivalGap = 1,          // Entity: source. n: the how-many-th arrival.
  kArrivalState = 2,        // Entity: source. n: the how-many-th state of a bursty process.
  kTaskShape = 3,           // Entity: task (its calls) or call within task (its subcalls).
  kActivation = 4,          // Entity: task.
  kBuilder = 5,             // Entity: task. n: 0 the builder, then the batches of its stream.
  kBuilderFailure = 6,      // Entity: task.
  kCallDuration = 7,        // Entity: call within task. n: attempt.
  kCallFailure = 8,         // Entity: call within task. n: attempt.
  kWriter = 9,              // Entity: task.
  kWriterFailure = 10,      // Entity: task.
  kCancelLatency = 11,      // Entity: task or call within task. n: 0, or the call's attempt.
  kExecutorStart = 12,      // Entity: executor within worker. n: generation.
  kRetryBackoff = 13,       // Entity: task. n: attempt of the client.
  kThinkTime = 14,          // Entity: client. n: the how-many-th pause.
  kPlacement = 15,          // Entity: task. n: attempt of the client.
  kExecutorFailure = 16,    // Entity: executor within worker. n: generation.
  kActivationFailure = 17,  // Entity: task.
  kExecutorExit = 18,       // Entity: executor within worker. n: generation.
  kDonor = 19               // Entity: task, call within task, or executor. n: which question.
};

// Names one random choice. Every draw of the simulator is a pure function of such a key, never the
// next draw of a shared stream: an entity more or a choice more leaves all others as they were, and
// two variants of a scenario that ask with equal keys get equal answers.
struct Key {
  std::uint64_t seed = 0;
  std::uint64_t entity = 0;
  Choice choice{};
  std::uint64_t n = 0;
};

namespace internal {

// 2^64 divided by the golden ratio, and the first 64 bits of the fractional parts of the roots of
// 2, 3, 5 and 7.
inline constexpr std::uint64_t kGolden = 0x9e3779b97f4a7c15;
inline constexpr std::uint64_t kRoot2 = 0x6a09e667f3bcc908;
inline constexpr std::uint64_t kRoot3 = 0xbb67ae8584caa73b;
inline constexpr std::uint64_t kRoot5 = 0x3c6ef372fe94f82b;
inline constexpr std::uint64_t kRoot7 = 0xa54ff53a5f1d36f1;

// Both halves of the 128-bit product, folded: cheap and far from linear in either factor.
constexpr std::uint64_t Fold(std::uint64_t a, std::uint64_t b) {
  const unsigned __int128 product = static_cast<unsigned __int128>(a) * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

// A bijection in which each bit of the input flips each bit of the output with a probability near
// 1/2: the output function of SplitMix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number
// generators", OOPSLA 2014).
constexpr std::uint64_t Mix(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

}  // namespace internal

// The entity of that name. Not the engine's fingerprint: that one serves its log format, and seeds
// must survive its changes. FNV-1a over the bytes, then mixed, as it spreads short names poorly.
constexpr std::uint64_t EntityNamed(std::string_view name) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char byte : name) {
    hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3;
  }
  return internal::Mix(hash);
}

// The entity `child` that belongs to `parent`: a task of a source, a call of a task, an executor of
// a worker. Not symmetric: (1, 2) and (2, 1) are different entities.
constexpr std::uint64_t EntityWithin(std::uint64_t parent, std::uint64_t child) {
  return internal::Mix(internal::Fold(parent ^ internal::kRoot5, child ^ internal::kRoot7));
}

// The words of one key, for samplers that need several. A SplitMix64 sequence whose start is the
// key; a value, so that a copy repeats the future of the original. Every sampler begins with a
// fresh stream: how many words one choice takes is nobody else's business.
class KeyedStream {
 public:
  constexpr explicit KeyedStream(const Key& key) {
    const std::uint64_t owner =
        internal::Fold(key.seed ^ internal::kRoot2, key.entity ^ internal::kRoot3);
    const auto choice = static_cast<std::uint64_t>(key.choice);
    // The factor is odd, so equal owners with different n start at different places.
    state_ = internal::Fold(owner ^ key.n, internal::Mix(choice + internal::kGolden) | 1);
  }

  constexpr std::uint64_t NextWord() {
    state_ += internal::kGolden;
    return internal::Mix(state_);
  }

  // Uniform on the 2^53 multiples of 2^-53 in (0, 1]. Zero is left out because samplers take its
  // logarithm.
  constexpr double NextUnit() {
    return static_cast<double>(static_cast<std::int64_t>(NextWord() >> 11) + 1) * 0x1p-53;
  }

  // Uniform on 0 ... n-1, without bias (Lemire: "Fast random integer generation in an interval",
  // 2019). Precondition: n > 0.
  constexpr std::uint64_t Below(std::uint64_t n) {
    unsigned __int128 product = static_cast<unsigned __int128>(NextWord()) * n;
    if (static_cast<std::uint64_t>(product) < n) {
      const std::uint64_t surplus =
          (0 - n) % n;  // 2^64 modulo n: so many words would favour some results.
      while (static_cast<std::uint64_t>(product) < surplus) {
        product = static_cast<unsigned __int128>(NextWord()) * n;
      }
    }
    return static_cast<std::uint64_t>(product >> 64);
  }

 private:
  std::uint64_t state_ = 0;
};

// For choices that need a single word.
constexpr std::uint64_t WordOf(const Key& key) { return KeyedStream(key).NextWord(); }

}  // namespace blockx::sim

#endif  // BLOCKX_SIM_RANDOM_H_
