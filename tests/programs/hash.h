/* FNV-1a, but eight bytes at a time: of n bytes behind those that h is of, HASH_BEGIN of none. */
#define HASH_BEGIN 0xcbf29ce484222325u
static uint64_t hash_of(uint64_t h, const void *bytes, size_t n)
{
    const unsigned char *p = (const unsigned char *)bytes;
    uint64_t v;
    for (; n >= 8; p += 8, n -= 8) { memcpy(&v, p, 8); h = (h ^ v) * 0x100000001b3u; h ^= h >> 29; }
    while (n-- > 0) h = (h ^ *p++) * 0x100000001b3u;
    return h;
}
