# A function of more than 100,000 lines, with branches, that takes one lock twice at its very end.
print("#include <pthread.h>\npthread_mutex_t m;\nint x;\nvoid f(int n) {\n  pthread_mutex_lock(&m);")
for i in range(34000):
    print(f"  if (n == {i})\n    x += {i};\n")
print("  pthread_mutex_lock(&m);\n}\nint main(int argc, char **argv) {\n  f(argc);\n}")
