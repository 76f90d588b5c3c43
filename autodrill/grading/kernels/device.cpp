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
// library or, if negative, a line of the kernel's file.
struct Finding {
    int32_t kind, buffer;
    int64_t element;
    int32_t block, thread, other_block, other_thread;
    int64_t at;
};

void device_call(void** arguments);
extern char __start_device_shared[] __attribute__((weak, visibility("hidden")));
extern char __stop_device_shared[] __attribute__((weak, visibility("hidden")));
extern char __start_device_own[] __attribute__((visibility("hidden")));
extern char __bss_start[] __attribute__((visibility("hidden")));
extern char _end[] __attribute__((visibility("hidden")));
}

namespace {

const unsigned MOST_THREADS = 1024, WARP = 32;
const uint64_t STACK = 256 << 10, GUARD = 4096, GAP = 1 << 20;
// A block may have this much shared memory, unless the host asks for more.
const uint64_t MOST_SHARED = sizeof device_dynamic;

// The last access to a place: its thread and epoch. `seen` counts from 1, and 0 means no access.
struct Access {
    int32_t block, thread;
    uint32_t seen, warp_seen;
};

struct Cell {
    Access write, atomic, first_read, read, other_read;
};

struct Region {
    char *begin, *end;
    uint64_t item;  // a power of 2, and `shift` is its logarithm
    int shift, buffer;
    bool bare, kept;
    Cell* cells;
};

const int SHARED = -1, UNKNOWN = -2;

// Shared memory is watched in words of 4 bytes. This internal finding, of an access to less, makes the launch start
// again with single bytes, which are slower.
const Kind SMALLER_THAN_A_WORD = Kind(100);

enum State { READY, AT_BLOCK, AT_WARP, DONE };

// A fibre's first start takes a context of its own. Afterwards it is left and resumed by jumps, which need no system
// call, and it runs its thread of one block after another.
struct Fibre {
    jmp_buf resumed;
    bool started;
    State state;
    unsigned mask;
    int line;
    Finding pending;  // a read of what another thread writes: a lost update if this thread writes there next
    char* place;
};

OWN Region regions[64] = {};
OWN int region_count = 0;
OWN const Region* last_region = regions;
OWN Fibre* fibres = nullptr;
OWN jmp_buf scheduler = {};
OWN Fibre* current = nullptr;
OWN Finding hard = {}, soft = {};
OWN void** kernel_arguments = nullptr;
OWN char *stacks = nullptr, *module_begin = nullptr;
OWN uint32_t epoch = 0, warp_epochs[MOST_THREADS / WARP] = {};
OWN uint64_t slots[MOST_THREADS] = {};
OWN unsigned threads = 0;

int32_t thread_number() { return int32_t(current - fibres); }
int32_t block_number() { return int32_t(blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z)); }

Access now() { return {block_number(), thread_number(), epoch, warp_epochs[thread_number() / WARP]}; }

bool mine(const Access& a) { return a.block == block_number() && a.thread == thread_number(); }

// Whether an access is another thread's, with no barrier since.
bool conflicts(const Access& a) {
    if (!a.seen || mine(a)) return false;
    if (a.block != block_number()) return true;
    bool same_warp = unsigned(a.thread) / WARP == unsigned(thread_number()) / WARP;
    return a.seen == epoch && !(same_warp && a.warp_seen < warp_epochs[thread_number() / WARP]);
}

Finding finding(Kind kind, const Region* region, char* place, const Access& other, int64_t at) {
    int64_t element = region ? (place - region->begin) / int64_t(region->item) : 0;
    if (region && place < region->begin) element = -((region->begin - place + int64_t(region->item) - 1) / int64_t(region->item));
    bool known = other.seen;
    return {kind, region ? region->buffer : UNKNOWN, element, block_number(), thread_number(),
            known ? other.block : -1, known ? other.thread : -1, at};
}

[[noreturn]] void stop(const Finding& found) {
    hard = found;
    _longjmp(scheduler, 1);
}

// A racing read without a following write to the same place: it should have seen the other thread's write.
void settle() {
    if (current->pending.kind) stop(current->pending);
}

void yield(State state) {
    settle();
    current->state = state;
    if (!_setjmp(current->resumed)) _longjmp(scheduler, 1);
}

const Region* region_of(char* place) {
    if (place >= last_region->begin && place < last_region->end) return last_region;
    for (int i = 0; i < region_count; ++i)
        if (place >= regions[i].begin && place < regions[i].end) return last_region = &regions[i];
    return nullptr;
}

const Region* nearest(char* place) {
    const Region* best = nullptr;
    int64_t least = GAP / 2;
    for (int i = 0; i < region_count; ++i) {
        int64_t away = place < regions[i].begin ? regions[i].begin - place : place - regions[i].end;
        if (away < least) least = away, best = &regions[i];
    }
    return best;
}

void touch_cell(const Region* region, char* place, Cell& cell, bool write, bool atomic, int64_t at) {
    bool known = cell.write.seen || cell.atomic.seen;
    if (!write && region->bare && !known && !soft.kind) soft = finding(UNINITIALISED, region, place, {}, at);
    const Access* other = conflicts(cell.write) ? &cell.write : nullptr;
    if (!other && !atomic && conflicts(cell.atomic)) other = &cell.atomic;
    if (write) {
        if (other) {
            bool updates = atomic || other == &cell.atomic || (current->pending.kind && current->place == place);
            stop(finding(updates ? RACE : OVERWRITTEN, region, place, *other, at));
        }
        const Access* reads[] = {&cell.first_read, &cell.read, &cell.other_read};
        for (const Access* read : reads)
            if (conflicts(*read))
                stop(finding(read->block == block_number() ? MISSING_BARRIER : RACE, region, place, *read, at));
        (atomic ? cell.atomic : cell.write) = now();
        return;
    }
    if (other && !current->pending.kind) {
        current->pending = finding(other->block == block_number() ? MISSING_BARRIER : RACE, region, place, *other, at);
        current->place = place;
    }
    if (!cell.first_read.seen) cell.first_read = now();
    if (cell.read.seen && !mine(cell.read)) cell.other_read = cell.read;
    cell.read = now();
}

void touch(void* address, uint64_t bytes, bool write, bool atomic, int64_t at) {
    if (!current) return;
    char* place = (char*)address;
    char* stack = stacks + uint64_t(thread_number()) * (STACK + GUARD);
    if (place >= stack && place < stack + STACK + GUARD) return;
    const Region* region = region_of(place);
    if (!region) {
        // Constants and variables of the kernel's file.
        if ((place >= module_begin && place < __start_device_own) || (place >= __bss_start && place < _end)) return;
        stop(finding(OUT_OF_BOUNDS, nearest(place), place, {}, at));
    }
    if (place + bytes > region->end) stop(finding(OUT_OF_BOUNDS, region, region->end, {}, at));
    if (write && region->kept) stop(finding(WRITES_INPUT, region, place, {}, at));
    note(uint32_t(thread_number()), place, bytes, region->buffer == SHARED, write, at);
    if (bytes < region->item && region->buffer == SHARED) stop({SMALLER_THAN_A_WORD, SHARED, 0, 0, 0, 0, 0, 0});
    uint64_t first = uint64_t(place - region->begin) >> region->shift;
    uint64_t last = uint64_t(place + bytes - 1 - region->begin) >> region->shift;
    for (uint64_t i = first; i <= last; ++i)
        touch_cell(region, region->begin + i * region->item, region->cells[i], write, atomic, at);
}

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
    ++epoch;
    for (unsigned t = 0; t < threads; ++t) {
        Fibre& fibre = fibres[t];
        fibre.state = READY;
        fibre.pending.kind = NOTHING;
    }
    do
        for (unsigned t = 0; t < threads && !hard.kind; ++t) {
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
        *found = {TOO_MUCH_SHARED, SHARED, int64_t(fixed + dynamic), -1, -1, -1, -1, 0};
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
