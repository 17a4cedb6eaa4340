static int made;
__attribute__((constructor)) static void make(void) { made = 7; }
int dyn_value(void) { return made; }
