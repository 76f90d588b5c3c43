// How a warp's accesses fall on memory: sectors of global memory, and banks of shared memory.
//
// The threads of a warp run one after another here. So each plain access of a block is recorded, and afterwards the
// k-th access of each lane by one instruction counts as one access of the warp. Atomics are left out.
#pragma once

// One access of one thread.
struct Touch {
    uint32_t warp, lane, count;
    bool shared, write;
    uint8_t bytes;
    int64_t at;
    uint64_t place;
};

// What is found, for the access of a warp that wastes most. `at` is an instruction, 0 for none.
struct Traffic {
    int64_t bytes_read;
    int64_t load_at, load_sectors, load_least;
    int64_t store_at, store_sectors, store_least;
    int64_t bank_at, bank_ways;
};

namespace {

const uint64_t SECTOR = 32, BANKS = 32, WORD = 4;

OWN Traffic* traffic = nullptr;
OWN Touch* touches = nullptr;
OWN uint64_t touch_count = 0, touch_room = 0;

void note(uint32_t thread, char* place, uint64_t bytes, bool shared, bool write, int64_t at) {
    if (!traffic || at <= 0) return;
    if (touch_count == touch_room) {
        touch_room = touch_room ? 2 * touch_room : 1024;
        touches = (Touch*)realloc(touches, touch_room * sizeof(Touch));
    }
    touches[touch_count] = {thread / 32, thread % 32, uint32_t(touch_count), shared, write, uint8_t(bytes), at, uint64_t(place)};
    ++touch_count;
}

template <class T>
int compared(T a, T b) {
    return a < b ? -1 : b < a;
}

// By warp, instruction, count and lane. Before the accesses are counted, `count` is the order in time.
int by_lane(const void* left, const void* right) {
    const Touch &a = *(const Touch*)left, &b = *(const Touch*)right;
    if (int order = compared(a.warp, b.warp)) return order;
    if (int order = compared(a.at, b.at)) return order;
    if (int order = compared(a.lane, b.lane)) return order;
    return compared(a.count, b.count);
}
int by_count(const void* left, const void* right) {
    const Touch &a = *(const Touch*)left, &b = *(const Touch*)right;
    if (int order = compared(a.warp, b.warp)) return order;
    if (int order = compared(a.at, b.at)) return order;
    if (int order = compared(a.count, b.count)) return order;
    return compared(a.place, b.place);
}

void judge(const Touch* first, uint64_t lanes) {
    if (first->shared) {
        if (first->bytes > WORD) return;  // the hardware serves these in several turns
        uint64_t ways[BANKS] = {}, most = 0, last = 0;
        for (uint64_t i = 0; i < lanes; ++i) {
            uint64_t word = first[i].place / WORD;
            if (word == last) continue;  // lanes that access one word share the access
            last = word;
            uint64_t in_bank = ++ways[word % BANKS];
            if (in_bank > most) most = in_bank;
        }
        if (int64_t(most) > traffic->bank_ways) traffic->bank_at = first->at, traffic->bank_ways = int64_t(most);
        return;
    }
    uint64_t sectors = 0, bytes = 0, next_sector = 0, next_byte = 0;
    for (uint64_t i = 0; i < lanes; ++i) {
        uint64_t begin = first[i].place, end = begin + first[i].bytes;
        uint64_t from = begin / SECTOR, to = (end - 1) / SECTOR + 1;
        if (from < next_sector) from = next_sector;
        if (to > from) sectors += to - from, next_sector = to;
        if (begin < next_byte) begin = next_byte;
        if (end > begin) bytes += end - begin, next_byte = end;
    }
    int64_t touched = int64_t(sectors), least = int64_t((bytes + SECTOR - 1) / SECTOR);
    if (!first->write) traffic->bytes_read += touched * int64_t(SECTOR);
    if (first->write) {
        if (touched - least > traffic->store_sectors - traffic->store_least)
            traffic->store_at = first->at, traffic->store_sectors = touched, traffic->store_least = least;
    } else if (touched - least > traffic->load_sectors - traffic->load_least)
        traffic->load_at = first->at, traffic->load_sectors = touched, traffic->load_least = least;
}

// Judge the accesses of the block that has ended.
void judge_block() {
    if (!traffic) return;
    qsort(touches, touch_count, sizeof(Touch), by_lane);
    uint32_t count = 0;
    for (uint64_t i = 0; i < touch_count; ++i) {
        const Touch* before = i ? &touches[i - 1] : nullptr;
        const Touch& now = touches[i];
        bool same = before && before->warp == now.warp && before->at == now.at && before->lane == now.lane;
        count = same ? count + 1 : 0;
        touches[i].count = count;
    }
    qsort(touches, touch_count, sizeof(Touch), by_count);
    for (uint64_t first = 0, end; first < touch_count; first = end) {
        for (end = first + 1; end < touch_count; ++end)
            if (touches[end].warp != touches[first].warp || touches[end].at != touches[first].at ||
                touches[end].count != touches[first].count)
                break;
        judge(touches + first, end - first);
    }
    touch_count = 0;
}

}  // namespace
