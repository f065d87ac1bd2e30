/*===- lathe_measure.h - Honest times of anything on a GPU ---------*- C
-*-===*\
|*                                                                            *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* The C ABI of liblathe_measure.so: times what callbacks queue on a stream,  *|
|* by the timer that times Lathe's own kernels. Life of a program:            *|
|*                                                                            *|
|*   lathe_measure_open      on the context that is current, if there is one  *|
|*   lathe_measure_floors    what an empty kernel takes here and now          *|
|*   lathe_measure_compare   as often as wanted                               *|
|*   lathe_measure_close                                                      *|
|*                                                                            *|
|* Needs libcuda.so.1; uses libnvidia-ml.so.1 and libcupti where they are.    *|
|* A timer belongs to the thread that opened it.                              *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/
#ifndef LATHE_MEASURE_H
#define LATHE_MEASURE_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define LATHE_MEASURE_API __attribute__((visibility("default")))
#else
#define LATHE_MEASURE_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/** Raised when a function or a struct changes in a way old callers notice.
 *  Structs only ever grow at their end; callers set `struct_size`. */
#define LATHE_MEASURE_ABI_VERSION 1

typedef struct lathe_timer lathe_timer;

typedef enum lathe_measure_status {
  LATHE_MEASURE_OK = 0,
  LATHE_MEASURE_INVALID_ARGUMENT = 1, /**< null, no subjects, struct size */
  LATHE_MEASURE_DRIVER_ERROR = 2,     /**< no driver, or it refused */
  LATHE_MEASURE_FAULT = 3,          /**< a subject's kernel broke the context */
  LATHE_MEASURE_DEVICE_LOST = 4,    /**< the device is gone */
  LATHE_MEASURE_SUBJECT_FAILED = 5, /**< a callback said so */
  LATHE_MEASURE_WRONG_ANSWER = 6,   /**< a subject's `check` said so */
  LATHE_MEASURE_OTHER = 7           /**< out of memory and the like */
} lathe_measure_status;

LATHE_MEASURE_API uint32_t lathe_measure_abi_version(void);

/** A short constant name such as "wrong_answer". */
LATHE_MEASURE_API const char *
lathe_measure_status_name(lathe_measure_status status);

/** One line about the last call of this thread that failed. */
LATHE_MEASURE_API const char *lathe_measure_last_error(void);

/** What callbacks return; everything else fails the call. */
enum {
  LATHE_SUBJECT_OK = 0,
  LATHE_SUBJECT_WRONG = 1 /**< of `check`: the outputs are not right */
};

/** What is timed. All work of `launch` must be queued on `stream`, a CUstream
 *  that neither waits for the default stream nor is waited for by it; work
 *  elsewhere is found and makes the times a fault. The launch is also captured
 *  into a graph, where the driver and the subject allow it: it should not
 *  allocate memory, and must not wait for the device. */
typedef struct lathe_subject {
  uint32_t struct_size; /**< in: sizeof(lathe_subject) */
  /** Independent sets of operands, at least 1. Three and more let inputs and
   *  addresses change between samples. */
  uint32_t sets;
  const char *name;
  void *user; /**< first argument of the callbacks */
  int (*launch)(void *user, uint32_t set, void *stream);
  /** Before a timed launch on the set: poisons its outputs, say. Only queues.
   *  May be null. */
  int (*prepare)(void *user, uint32_t set, void *stream);
  /** At some launches, with the stream idle: looks at the set's outputs. May be
   *  null, which leaves stored and missing answers unseen. */
  int (*check)(void *user, uint32_t set);
} lathe_subject;

typedef struct lathe_measure_options {
  uint32_t struct_size;     /**< in: sizeof(lathe_measure_options) */
  uint32_t pairs;           /**< samples by events, at most */
  uint32_t graph_pairs;     /**< by replay of a graph; 0: not at all */
  uint32_t traced_launches; /**< by CUPTI; 0: not at all */
  uint32_t host_launches;   /**< by the host's clock; 0: not at all */
  uint32_t check_every;     /**< samples between checks, about */
  double budget_ms;         /**< of time per subject; fewer samples then */
  double warmup_ms;         /**< at least */
  double roofline_us;       /**< no honest time is below; 0: not known */
  double host_slack_us;     /**< of host time beyond the device's */
} lathe_measure_options;

/** Fills what `struct_size` covers. The slack is that of an interpreter. */
LATHE_MEASURE_API lathe_measure_status
lathe_measure_default_options(lathe_measure_options *options);

/** `ordinal` -1: the device of the current context, or else the first one.
 *  Leaves a context of the device current. On failure `*timer` is null. */
LATHE_MEASURE_API lathe_measure_status lathe_measure_open(int ordinal,
                                                          lathe_timer **timer);
/** Null is fine. */
LATHE_MEASURE_API void lathe_measure_close(lathe_timer *timer);

/** The CUstream that subjects are launched on. */
LATHE_MEASURE_API void *lathe_measure_stream(const lathe_timer *timer);

/** JSON, zero-terminated, alive until the next call with the timer:
 *  {"device": {"name", "uuid", "arch", "cuda", "driver"},
 *   "floors": {"events", "graph", "cupti", "host", "clock_ratio", "missing"}}
 *  Times are in µs; 0: by a method that is missing, and "missing" says why.
 *  CUPTI, which stays in the process once it was used, is asked by the first
 *  comparison that has traced launches; "cupti" is 0 before. */
LATHE_MEASURE_API lathe_measure_status lathe_measure_floors(lathe_timer *timer,
                                                            const char **json);

/** Times subjects in turn, forwards and backwards (ABBA), in one process.
 *  Null options are the default ones. JSON as above:
 *  {"subjects": [{"name", "honesty": "good" | "void" | "fault", "reason",
 *                 "time_us", "low_us", "high_us", "spread",
 *                 "events" | "graph" | "cupti" | "host":
 *                   {"median", "low", "high", "spread", "least", "count"},
 *                 "samples": {"events": [...], ...}, "missing": [...]}],
 *   "pairs": [{"first": i, "second": k, "comparison": "faster" | "slower" |
 *              "tie", "ratio", "low", "high"}],
 *   "clocks": [...]}
 *  "time_us" is the smaller median of events and graph; only "good" times may
 *  be believed. A pair is there for each i < k with samples by events; its
 * ratio is that of the first to the second. */
LATHE_MEASURE_API lathe_measure_status lathe_measure_compare(
    lathe_timer *timer, const lathe_subject *subjects, uint32_t count,
    const lathe_measure_options *options, const char **json);

#ifdef __cplusplus
}
#endif

#endif /* LATHE_MEASURE_H */
