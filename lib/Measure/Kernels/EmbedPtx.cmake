# PTX as a string in C++: cmake -DPTX=in -DOUT=out -P EmbedPtx.cmake
file(READ "${PTX}" text)
file(WRITE "${OUT}" "// Generated from ${PTX}.
#include \"lathe/Measure/Kernels.h\"

static const char text[] = R\"ptx(${text})ptx\";

std::string_view lathe::measure::kernelsPtx() { return {text, sizeof(text)}; }
")
