// A once-object is initialised from its own routine.
// expect: self A-B
#include <pthread.h>
pthread_once_t once = PTHREAD_ONCE_INIT;
void other(void) {}
void setup(void) { pthread_once(&once, other); }  //@ B
int main() { pthread_once(&once, setup); }        //@ A
