static int calls;
int Other(void) { return ++calls; }
