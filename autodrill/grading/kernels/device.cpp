// A simulated device: the threads of a block are fibres that take turns at barriers, blocks run one after another.
//
// A kernel compiled with -fsanitize=thread calls `__tsan_read4` and its like before it touches memory; they are defined
// here. Each access is checked: whether the place belongs to an array, and which other threads have accessed it since
// the last barrier. So the findings do not depend on the order in which threads run.
//
// Two accesses of different threads to one place, one of them a write and not both atomic, are ordered only by a
// barrier of their block between them, or of their warp. Nothing orders accesses of different blocks.
#include <dlfcn.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

// The device's own variables have a section of their own, so that .data and .bss hold only those of the kernel's file.
// The section precedes shared memory, so that an access outside shared memory reaches nothing that is allowed.
#define OWN __attribute__((section("device_own")))

#include "device_traffic.h"

extern "C" {
struct Index {
    unsigned x, y, z;
};
// The kernel sees these as constants, so no access to them is reported.
OWN Index threadIdx = {}, blockIdx = {}, blockDim = {}, gridDim = {};
// Dynamic shared memory: the launch says how many of these bytes a block has.
OWN alignas(16) char device_dynamic[48 << 10] = {};

// An array argument. `bare`: it is not initialized. `kept`: it must not be written to.
struct Buffer {
    char* data;
    uint64_t bytes, item;
    int32_t bare, kept;
};

enum Kind : int32_t { NOTHING, OUT_OF_BOUNDS, RACE, OVERWRITTEN, MISSING_BARRIER, DIVERGENT, UNINITIALISED, WRITES_INPUT, TOO_MUCH_SHARED };

// A finding. `buffer` is -1 for shared memory, -2 for unknown memory. `at` is the offset of an instruction in this
// library or, if negative, a line of the kernel's file. `count`: the threads of the block that access memory out of
// bounds before a barrier, or the barriers that the block had passed when one was missing.
struct Finding {
    int32_t kind, buffer;
    int64_t element;
    int32_t block, thread, other_block, other_thread;
    int64_t at, count;
};

void device_call(void** arguments);
extern char __start_device_shared[] __attribute__((weak, visibility("hidden")));
extern char __stop_device_shared[] __attribute__((weak, visibility("hidden")));
extern char __start_device_own[] __attribute__((visibility("hidden")));
extern char __bss_start[] __attribute__((visibility("hidden")));
extern char _end[] __attribute__((visibility("hidden")));
}

#include "device_checks.h"

namespace {

int64_t offset_of(void* instruction) { return (char*)instruction - module_begin; }

void run_fibre() {
    for (;;) {
        device_call(kernel_arguments);
        yield(DONE);
    }
}

// Run a fibre until it yields or stops.
__attribute__((noinline)) void resume(Fibre* fibre) {
    current = fibre;
    if (_setjmp(scheduler)) return;
    if (fibre->started) _longjmp(fibre->resumed, 1);
    fibre->started = true;
    ucontext_t context;
    getcontext(&context);
    context.uc_stack.ss_sp = stacks + uint64_t(fibre - fibres) * (STACK + GUARD) + GUARD;
    context.uc_stack.ss_size = STACK;
    context.uc_link = nullptr;
    makecontext(&context, run_fibre, 0);
    setcontext(&context);
}

Access as_other(unsigned thread) { return {block_number(), int32_t(thread), 1, 0}; }

// Release the threads whose barrier is complete; false if there are none.
bool release() {
    bool released = false;
    unsigned waiting = 0, last = 0;
    for (unsigned t = 0; t < threads; ++t) {
        Fibre& fibre = fibres[t];
        if (fibre.state == AT_BLOCK) ++waiting, last = t;
        if (fibre.state != AT_WARP) continue;
        unsigned first = t / WARP * WARP, missing = MOST_THREADS;
        for (unsigned lane = 0; lane < WARP && first + lane < threads; ++lane)
            if (fibre.mask >> lane & 1 && fibres[first + lane].state != AT_WARP) missing = first + lane;
        if (missing < MOST_THREADS) {
            current = &fibre;
            hard = finding(DIVERGENT, nullptr, nullptr, as_other(missing), -int64_t(fibre.line));
            return false;
        }
        for (unsigned lane = 0; lane < WARP && first + lane < threads; ++lane)
            if (fibre.mask >> lane & 1) fibres[first + lane].state = READY;
        ++warp_epochs[t / WARP];
        released = true;
    }
    if (released || !waiting) return released;
    for (unsigned t = 0; t < threads; ++t)
        if (fibres[t].state == DONE || fibres[t].line != fibres[last].line) {
            current = &fibres[last];
            hard = finding(DIVERGENT, nullptr, nullptr, as_other(t), -int64_t(fibres[last].line));
            return false;
        }
    ++epoch;
    for (unsigned t = 0; t < threads; ++t) fibres[t].state = READY;
    return true;
}

void run_block() {
    for (int i = 0; i < region_count; ++i) {
        Region& region = regions[i];
        if (region.buffer != SHARED) continue;
        memset(region.begin, 0xff, uint64_t(region.end - region.begin));
        memset(region.cells, 0, (uint64_t(region.end - region.begin) / region.item + 1) * sizeof(Cell));
    }
    first_epoch = ++epoch;
    for (unsigned t = 0; t < threads; ++t) {
        Fibre& fibre = fibres[t];
        fibre.state = READY;
        fibre.pending.kind = NOTHING;
    }
    do
        for (unsigned t = 0; t < threads && (!hard.kind || hard.kind == OUT_OF_BOUNDS); ++t) {
            if (fibres[t].state != READY) continue;
            threadIdx = {t % blockDim.x, t / blockDim.x % blockDim.y, t / blockDim.x / blockDim.y};
            resume(&fibres[t]);
        }
    while (!hard.kind && release());
    current = nullptr;
    judge_block();
}

char* reserve(uint64_t bytes) {
    void* got = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return got == MAP_FAILED ? nullptr : (char*)got;
}

Region* add_region(char* begin, uint64_t bytes, uint64_t item, int buffer, bool bare, bool kept) {
    Region& region = regions[region_count++];
    int shift = __builtin_ctzll(item);
    region = {begin, begin + bytes, item, shift, buffer, bare, kept, (Cell*)calloc(bytes / item + 1, sizeof(Cell))};
    return &region;
}

void run_blocks() {
    for (uint32_t z = 0; z < gridDim.z && !hard.kind; ++z)
        for (uint32_t y = 0; y < gridDim.y && !hard.kind; ++y)
            for (uint32_t x = 0; x < gridDim.x && !hard.kind; ++x) {
                blockIdx = {x, y, z};
                run_block();
            }
}

}  // namespace

extern "C" {

// Run a kernel. Arrays are copied to the device's memory, far apart from one another, and back.
// `arguments[i]` points to the value of parameter i or, if `which[i]` is not negative, to the address of that buffer.
// A block has `dynamic` bytes of dynamic shared memory. The traffic is counted if `counted` is not null.
// Returns 0, or 1 if the launch itself is impossible.
__attribute__((visibility("default"))) int device_launch(
    const uint32_t* grid, const uint32_t* block, uint64_t dynamic, void** arguments, const int32_t* which, int count,
                  const Buffer* buffers, int buffer_count, Finding* found, Traffic* counted) {
    traffic = counted;
    gridDim = {grid[0], grid[1], grid[2]};
    blockDim = {block[0], block[1], block[2]};
    threads = block[0] * block[1] * block[2];
    if (!threads || threads > MOST_THREADS || !grid[0] || !grid[1] || !grid[2] || buffer_count > 60) return 1;
    uint64_t fixed = uint64_t(__stop_device_shared - __start_device_shared);
    if (fixed + dynamic > MOST_SHARED) {
        *found = {TOO_MUCH_SHARED, SHARED, int64_t(fixed + dynamic), -1, -1, -1, -1, 0, 0};
        return 0;
    }
    Dl_info info;
    dladdr((void*)device_launch, &info);
    module_begin = (char*)info.dli_fbase;
    stacks = reserve(threads * (STACK + GUARD));
    uint64_t total = GAP;
    for (int i = 0; i < buffer_count; ++i) total += buffers[i].bytes + 2 * GAP;
    char* arena = reserve(total);
    fibres = (Fibre*)calloc(threads, sizeof(Fibre));
    if (!stacks || !arena || !fibres) return 1;
    for (unsigned t = 0; t < threads; ++t) mprotect(stacks + t * (STACK + GUARD), GUARD, PROT_NONE);
    char* addresses[64];
    const uint64_t words[] = {4, 1};
    for (uint64_t word : words) {
        memset(fibres, 0, threads * sizeof(Fibre));
        touch_count = 0;
        if (traffic) *traffic = {};
        region_count = 0;
        epoch = 0;
        memset(warp_epochs, 0, sizeof warp_epochs);
        hard.kind = soft.kind = NOTHING;
        char* free_from = arena + GAP;
        for (int i = 0; i < buffer_count; ++i) {
            const Buffer& b = buffers[i];
            addresses[i] = free_from;
            memcpy(free_from, b.data, b.bytes);
            add_region(free_from, b.bytes, b.item, i, b.bare, b.kept);
            free_from += (b.bytes + 255) / 256 * 256 + GAP;
        }
        if (fixed) add_region(__start_device_shared, fixed, word, SHARED, true, false);
        if (dynamic) add_region(device_dynamic, dynamic, word, SHARED, true, false);
        for (int i = 0; i < count; ++i)
            if (which[i] >= 0) arguments[i] = &addresses[which[i]];
        kernel_arguments = arguments;
        run_blocks();
        for (int i = 0; i < region_count; ++i) free(regions[i].cells);
        if (hard.kind != SMALLER_THAN_A_WORD) break;
    }
    *found = hard.kind ? hard : soft;
    for (int i = 0; i < buffer_count; ++i) memcpy(buffers[i].data, addresses[i], buffers[i].bytes);
    free(fibres);
    free(touches);
    touches = nullptr;
    touch_count = touch_room = 0;
    munmap(arena, total);
    munmap(stacks, threads * (STACK + GUARD));
    fflush(nullptr);
    return 0;
}

void device_atomic(void* place, unsigned long bytes, int line) {
    touch(place, bytes, true, true, -int64_t(line));
}
// A comparison before an exchange: it makes up for this thread's earlier reads of the place that were not atomic.
void device_compared(void* place, unsigned long bytes) {
    const Region* region = current ? region_of((char*)place) : nullptr;
    if (!region) return;
    if (current->place == place) current->pending.kind = NOTHING;
    for (unsigned long i = 0; i < bytes; i += region->item) {
        Cell& cell = region->cells[uint64_t((char*)place - region->begin + i) >> region->shift];
        Access* reads[] = {&cell.first_read, &cell.read, &cell.other_read};
        for (Access* read : reads)
            if (mine(*read)) read->seen = 0;
    }
}
void device_block_barrier(int line) {
    current->line = line;
    yield(AT_BLOCK);
}
void device_warp_barrier(unsigned mask, int line) {
    current->line = line;
    current->mask = mask;
    yield(AT_WARP);
}
void* device_slot(unsigned lane) { return &slots[thread_number() / int32_t(WARP) * int32_t(WARP) + int32_t(lane)]; }

void device_vote(bool vote) { slots[thread_number()] = vote; }
int device_votes() {
    int votes = 0;
    for (unsigned t = 0; t < threads; ++t) votes += int(slots[t]);
    return votes;
}

#define HERE offset_of(__builtin_return_address(0))
#define ACCESS(BYTES)                                                                                       \
    void __tsan_read##BYTES(void* place) { touch(place, BYTES, false, false, HERE); }                       \
    void __tsan_write##BYTES(void* place) { touch(place, BYTES, true, false, HERE); }                       \
    void __tsan_unaligned_read##BYTES(void* place) { touch(place, BYTES, false, false, HERE); }             \
    void __tsan_unaligned_write##BYTES(void* place) { touch(place, BYTES, true, false, HERE); }             \
    void __tsan_volatile_read##BYTES(void* place) { touch(place, BYTES, false, false, HERE); }              \
    void __tsan_volatile_write##BYTES(void* place) { touch(place, BYTES, true, false, HERE); }              \
    void __tsan_read##BYTES##_pc(void* place, void* at) { touch(place, BYTES, false, false, offset_of(at)); } \
    void __tsan_write##BYTES##_pc(void* place, void* at) { touch(place, BYTES, true, false, offset_of(at)); }
ACCESS(1)
ACCESS(2)
ACCESS(4)
ACCESS(8)
ACCESS(16)
void __tsan_read_range(void* place, unsigned long bytes) { touch(place, bytes, false, false, HERE); }
void __tsan_write_range(void* place, unsigned long bytes) { touch(place, bytes, true, false, HERE); }
void __tsan_init() {}
void __tsan_func_entry(void*) {}
void __tsan_func_exit() {}
}
