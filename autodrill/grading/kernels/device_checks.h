// The checks of the simulated device: whether an access hits an array, and which other threads have accessed the place.
#pragma once

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
    Access write, other_write, atomic, first_read, read, other_read;
};

struct Region {
    char *begin, *end;
    uint64_t item;  // a power of 2, and `shift` is its logarithm
    int shift, buffer;
    bool bare, kept;
    Cell* cells;
};

const int SHARED = -1, UNKNOWN = -2;

// Which access of a race is atomic: the count of the finding.
const int NONE_ATOMIC = 0, OTHER_ATOMIC = 1, MINE_ATOMIC = 2;

// Shared memory is watched in words of 4 bytes. This internal finding, of an access to less, makes the launch start
// again with single bytes, which are slower.
const Kind SMALLER_THAN_A_WORD = Kind(100);

// A plain store to an element that another thread stored to. It is a fault if it changes the element. The check comes
// before a store, so the comparison waits for the thread's next access or barrier. No other thread runs until then.
struct Store {
    Finding found;
    char* place;
    uint64_t bytes;
    char before[16];
};

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
OWN Store stores[16] = {};
OWN int store_count = 0;
OWN uint32_t epoch = 0, first_epoch = 0, warp_epochs[MOST_THREADS / WARP] = {};
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
            known ? other.block : -1, known ? other.thread : -1, at, 0};
}

// End the current thread. The first finding counts; after an access out of bounds, the block's other threads still run
// up to their next barrier, so that those with such an access are counted.
[[noreturn]] void stop(const Finding& found) {
    if (!hard.kind) hard = found;
    if (found.kind == OUT_OF_BOUNDS) ++hard.count;
    if (hard.kind == MISSING_BARRIER) hard.count = epoch - first_epoch;
    store_count = 0;
    current->state = DONE;
    _longjmp(scheduler, 1);
}

// Compare the elements of the thread's last store with what they held before it.
void compare_stores() {
    int count = store_count;
    store_count = 0;
    for (int i = 0; i < count; ++i)
        if (memcmp(stores[i].place, stores[i].before, stores[i].bytes)) stop(stores[i].found);
}

// A racing read without a following write to the same place: it should have seen the other thread's write.
void settle() {
    compare_stores();
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
    const Access* other = conflicts(cell.write) ? &cell.write : conflicts(cell.other_write) ? &cell.other_write : nullptr;
    if (!other && !atomic && conflicts(cell.atomic)) other = &cell.atomic;
    if (write) {
        if (other) {
            bool updates = atomic || other == &cell.atomic || (current->pending.kind && current->place == place);
            Finding found = finding(updates ? RACE : OVERWRITTEN, region, place, *other, at);
            found.count = atomic ? MINE_ATOMIC : other == &cell.atomic ? OTHER_ATOMIC : NONE_ATOMIC;
            // Blocks that store equal bytes do the same work twice, unless the host has set the element, as it sets a flag.
            bool repeats = region->bare && other->block != block_number();
            if (updates || repeats || store_count == sizeof stores / sizeof *stores || region->item > sizeof stores->before) stop(found);
            Store& store = stores[store_count++];
            store = {found, place, region->item, {}};
            memcpy(store.before, place, region->item);
        }
        const Access* reads[] = {&cell.first_read, &cell.read, &cell.other_read};
        for (const Access* read : reads) {
            if (!conflicts(*read)) continue;
            Finding found = finding(read->block == block_number() ? MISSING_BARRIER : RACE, region, place, *read, at);
            found.count = atomic ? MINE_ATOMIC : NONE_ATOMIC;
            stop(found);
        }
        if (!atomic && cell.write.seen && !mine(cell.write) && !conflicts(cell.other_write)) cell.other_write = cell.write;
        (atomic ? cell.atomic : cell.write) = now();
        return;
    }
    if (other && !current->pending.kind) {
        current->pending = finding(other->block == block_number() ? MISSING_BARRIER : RACE, region, place, *other, at);
        current->pending.count = other == &cell.atomic ? OTHER_ATOMIC : NONE_ATOMIC;
        current->place = place;
    }
    if (!cell.first_read.seen) cell.first_read = now();
    if (cell.read.seen && !mine(cell.read)) cell.other_read = cell.read;
    cell.read = now();
}

void touch(void* address, uint64_t bytes, bool write, bool atomic, int64_t at) {
    if (!current) return;
    compare_stores();
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
    if (bytes < region->item && region->buffer == SHARED) stop({SMALLER_THAN_A_WORD, SHARED, 0, 0, 0, 0, 0, 0, 0});
    uint64_t first = uint64_t(place - region->begin) >> region->shift;
    uint64_t last = uint64_t(place + bytes - 1 - region->begin) >> region->shift;
    for (uint64_t i = first; i <= last; ++i)
        touch_cell(region, region->begin + i * region->item, region->cells[i], write, atomic, at);
}

}  // namespace
