// Carries the precompiled header (see CMakeLists.txt); holds no code.
