# CMake 3.25 knows no WASI; there is nothing to say of it, but it wants this file.
