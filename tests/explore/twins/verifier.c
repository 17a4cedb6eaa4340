/* The functions of the SV-COMP programs.
   EXPLORE: -> findings=none
   EXPLORE: -DBUG -> findings=assertion
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
static atomic_int x;
static void* Add(void* unused) {
#ifndef BUG
  __VERIFIER_atomic_begin();
#endif
  int before = atomic_load(&x);
  atomic_store(&x, before + 1);
#ifndef BUG
  __VERIFIER_atomic_end();
#endif
  return unused;
}
int main(void) {
  pthread_t a, b;
  int input = __VERIFIER_nondet_int();
  __VERIFIER_assume(input == 1);
  pthread_create(&a, 0, Add, 0);
  pthread_create(&b, 0, Add, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  assert(atomic_load(&x) == input + 1);
  return 0;
}
