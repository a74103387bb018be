// Loads the library as a process of another C library does, and makes a product with four threads: for a system that no runtime of the tests runs on.
//   program LIBRARY NUMBER-OF-SETTINGS
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static void *library;

static void *function(const char *name) {
    void *found = dlsym(library, name);
    if (!found) exit((fprintf(stderr, "%s\n", dlerror()), 1));
    return found;
}

enum { size = 300, f32 = 0 };
static float data[size * size];

int main(int count, char **arguments) {
    if (count != 3) return 2;
    library = dlopen(arguments[1], RTLD_NOW);
    if (!library) return fprintf(stderr, "%s\n", dlerror()), 1;
    uint32_t (*device_new)(const double *, uint32_t) = function("tw_device_new");
    uint32_t (*tensor_new)(uint32_t, uint32_t, const double *) = function("tw_tensor_new");
    int32_t (*fill)(uint32_t, uint32_t, double) = function("tw_fill");
    int32_t (*matmul)(uint32_t, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t, double, double) = function("tw_matmul");
    int32_t (*read)(void *, uint32_t, double) = function("tw_tensor_read");

    uint32_t settings_count = (uint32_t)atoi(arguments[2]);
    double *settings = calloc(settings_count, sizeof *settings);
    for (uint32_t i = 0; i < settings_count; i++) settings[i] = -1; // not given
    settings[0] = 4; // threads
    uint32_t device = device_new(settings, settings_count);
    double sizes[2] = {size, size};
    uint32_t a = tensor_new(f32, 2, sizes), b = tensor_new(f32, 2, sizes), out = tensor_new(f32, 2, sizes);
    int32_t failed = fill(device, a, 2) | fill(device, b, 3) | matmul(device, out, a, b, 0, 0, 1, 0) | read(data, out, sizeof data);
    for (int i = 0; i < size * size; i++) failed |= data[i] != 6 * size;
    printf("%g\n", data[size * size - 1]);
    return failed != 0;
}
