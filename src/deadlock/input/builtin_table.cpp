// The functions that the analysis knows without being told: POSIX, C11, libstdc++, glib, apr, libuv, OpenSSL, libevent.
#include "deadlock/input/primitives.h"

namespace heddle::deadlock {

const char* const kBuiltinTable = R"(
pthread_mutex_lock lock
pthread_mutex_trylock trylock
pthread_mutex_timedlock timedlock
pthread_mutex_clocklock timedlock
pthread_mutex_unlock unlock
pthread_mutex_init init arg=1
pthread_mutex_destroy nothing
pthread_mutexattr_settype attrkind arg=1
pthread_rwlock_rdlock lock mode=read
pthread_rwlock_wrlock lock
pthread_rwlock_tryrdlock trylock mode=read
pthread_rwlock_trywrlock trylock
pthread_rwlock_timedrdlock timedlock mode=read
pthread_rwlock_timedwrlock timedlock
pthread_rwlock_clockrdlock timedlock mode=read
pthread_rwlock_clockwrlock timedlock
pthread_rwlock_unlock unlock
pthread_spin_lock lock
pthread_spin_trylock trylock
pthread_spin_unlock unlock
pthread_cond_wait wait lock=1
pthread_cond_timedwait wait lock=1
pthread_cond_clockwait wait lock=1
pthread_once once start=1
pthread_create create handle=0 start=2 arg=3
pthread_join join
pthread_timedjoin_np nothing
pthread_tryjoin_np nothing
pthread_cancel nothing
pthread_detach nothing
pthread_exit threadexit
sem_wait semwait
sem_timedwait semtry
sem_trywait semtry
sem_post sempost
mtx_lock lock
mtx_trylock trylock
mtx_timedlock timedlock
mtx_unlock unlock
mtx_init attrkind arg=1
cnd_wait wait lock=1
cnd_timedwait wait lock=1
call_once once start=1
thrd_create create handle=0 start=1 arg=2
thrd_join join
thrd_exit threadexit
pthread_key_create keycreate start=1
tss_create keycreate start=1
tss_set setspecific arg=1
tss_get getspecific
tss_delete nothing
pthread_setspecific setspecific arg=1
pthread_getspecific getspecific
pthread_atfork calllater
exit exitrun
_exit exit
_Exit exit
quick_exit exitrun
abort exit
__assert_fail exit
err exitrun
errx exitrun
verr exitrun
verrx exitrun
__stack_chk_fail exit
__fortify_fail exit
__chk_fail exit
_ZSt10unexpectedv exit
__cxa_pure_virtual exit
__cxa_rethrow nothing
__cxa_throw throw
__cxa_init_primary_exception throw
__cxa_bad_cast nothing
__gxx_personality_v0 nothing
_ZSt9terminatev exit
__clang_call_terminate exit
setjmp setjmp
_setjmp setjmp
sigsetjmp setjmp
__sigsetjmp setjmp
longjmp longjmp
siglongjmp longjmp
_longjmp longjmp
__longjmp_chk longjmp
signal signal start=1
sigaction signal start=1 deref=1
sigset signal start=1
bsd_signal signal start=1
sysv_signal signal start=1
__sysv_signal signal start=1
timer_create keep
mq_notify keep
lio_listio keep
aio_read keep
aio_write keep
getaddrinfo_a keep
at_quick_exit atexit start=0
fopencookie keep
makecontext keep
clone keep
hsearch keep
hsearch_r keep
insque link
remque link
argp_parse keep
register_printf_function keep
register_printf_specifier keep
syscall plain
prctl plain
dlsym symbol
dlvsym symbol
dlopen plain
dlclose nothing
dlerror plain
dl_iterate_phdr callnow
lsearch callnow
twalk_r callnow
tdestroy callnow
fts_open plain
obstack_free nothing
io_submit keep
io_getevents keep

malloc alloc
calloc alloc
valloc alloc
memalign alloc
aligned_alloc alloc
strdup alloc
__strdup alloc
strndup alloc
__strndup alloc
mmap alloc
mmap64 alloc
alloca alloc
_Znwm alloc
_Znam alloc
_ZnwmRKSt9nothrow_t alloc
_ZnamRKSt9nothrow_t alloc
_ZnwmSt11align_val_t alloc
_ZnamSt11align_val_t alloc
__cxa_allocate_exception alloc
posix_memalign alloc handle=0
asprintf alloc handle=0
vasprintf alloc handle=0
getline alloc handle=0
getaddrinfo alloc handle=3
fopen alloc
fopen64 alloc
fdopen alloc
opendir alloc
popen alloc
tmpfile alloc
getenv alloc
strerror alloc
gai_strerror alloc
localtime alloc
gmtime alloc
setlocale alloc
__errno_location alloc
__ctype_b_loc alloc
__ctype_tolower_loc alloc
__ctype_toupper_loc alloc
realloc realloc
reallocarray realloc
memcpy copy
memmove copy
mempcpy copy
__memcpy_chk copy
__memmove_chk copy
strcpy returns
strncpy returns
strcat returns
strncat returns
__strcpy_chk returns
__strncpy_chk returns
__strcat_chk returns
strchr returns
strrchr returns
strstr returns
strcasestr returns
strpbrk returns
memchr returns
memrchr returns
rawmemchr returns
memset returns
__memset_chk returns
fgets returns
strtok returns
strsep nothing
getcwd returns
realpath alloc
qsort callnow
qsort_r callnow
bsearch callnow
lfind callnow
tsearch keep
twalk keep
tdelete keep
tfind keep
ftw callnow
nftw callnow
scandir callnow
glob keep
glob64 keep
atexit atexit start=0
on_exit atexit start=0 arg=1 param=1
__cxa_atexit exitonly start=0 arg=1
__cxa_thread_atexit atexit start=0 arg=1
free nothing
cfree nothing
_ZdlPv nothing
_ZdlPvm nothing
_ZdaPv nothing
_ZdaPvm nothing
_ZdlPvSt11align_val_t nothing
_ZdlPvmSt11align_val_t nothing
__cxa_begin_catch subobject
__cxa_get_exception_ptr subobject
__cxa_end_catch nothing
__cxa_free_exception nothing
__cxa_guard_acquire lock success=nonzero
__cxa_guard_release unlock
__cxa_guard_abort unlock
__dynamic_cast subobject
_Unwind_Resume nothing
printf nothing
fprintf nothing
dprintf nothing
sprintf returns
snprintf nothing
vprintf nothing
vfprintf nothing
vsprintf nothing
vsnprintf nothing
__printf_chk nothing
__fprintf_chk nothing
__sprintf_chk nothing
__snprintf_chk nothing
__vfprintf_chk nothing
__vsnprintf_chk nothing
puts nothing
putchar nothing
fputs nothing
fputc nothing
putc nothing
perror nothing
fwrite nothing
fread nothing
fclose nothing
fflush nothing
fseek nothing
ftell nothing
feof nothing
ferror nothing
fileno nothing
getc nothing
fgetc nothing
ungetc nothing
scanf nothing
sscanf nothing
fscanf nothing
__isoc99_sscanf nothing
__isoc99_scanf nothing
__isoc99_fscanf nothing
read receive arg=1 param=2
write send arg=1 param=2
open nothing
open64 nothing
close nothing
lseek nothing
lseek64 nothing
pread nothing
pwrite nothing
stat nothing
fstat nothing
lstat nothing
poll nothing
select nothing
epoll_wait receive arg=1
epoll_pwait receive arg=1
epoll_pwait2 receive arg=1
epoll_ctl send arg=3
socket nothing
bind nothing
listen nothing
accept nothing
connect nothing
send send arg=1 param=2
recv receive arg=1 param=2
sendto nothing
recvfrom nothing
sendmsg nothing
recvmsg nothing
setsockopt nothing
getsockopt nothing
fcntl nothing
fcntl64 nothing
ioctl nothing
unlink nothing
rename nothing
mkdir nothing
time nothing
gettimeofday nothing
clock_gettime nothing
nanosleep nothing
usleep nothing
sleep nothing
sched_yield nothing
strlen nothing
strcmp nothing
strncmp nothing
strcasecmp nothing
strncasecmp nothing
memcmp nothing
bcmp nothing
strspn nothing
strcspn nothing
atoi nothing
atol nothing
atof nothing
strtol nothing
strtoul nothing
strtoll nothing
strtoull nothing
strtod nothing
rand nothing
srand nothing
random nothing
srandom nothing
rand_r nothing
getpid nothing
kill nothing
raise nothing
sigemptyset nothing
sigfillset nothing
sigaddset nothing
sigprocmask nothing
pthread_sigmask nothing
pthread_kill nothing
pthread_self nothing
pthread_equal nothing
pthread_attr_init nothing
pthread_attr_destroy nothing
pthread_attr_setdetachstate nothing
pthread_attr_setstacksize nothing
pthread_mutexattr_init nothing
pthread_mutexattr_destroy nothing
pthread_mutexattr_setpshared nothing
pthread_mutexattr_setprotocol nothing
pthread_mutexattr_setrobust nothing
pthread_rwlock_init nothing
pthread_rwlock_destroy nothing
pthread_rwlockattr_init nothing
pthread_rwlockattr_destroy nothing
pthread_spin_init nothing
pthread_spin_destroy nothing
pthread_cond_init nothing
pthread_cond_destroy nothing
pthread_cond_signal nothing
pthread_cond_broadcast nothing
pthread_condattr_init nothing
pthread_condattr_destroy nothing
pthread_condattr_setclock nothing
pthread_barrier_init nothing
pthread_barrier_wait nothing
pthread_barrier_destroy nothing
pthread_key_delete nothing
pthread_setcancelstate nothing
pthread_setcanceltype nothing
pthread_testcancel nothing
pthread_setname_np nothing
sem_init nothing
sem_destroy nothing
sem_getvalue nothing
fork dispatch
_Fork nothing
forkpty dispatch
daemon dispatch
__pthread_register_cancel nothing
__pthread_unregister_cancel nothing
__pthread_unwind_next threadexit
_ZNSt15__exception_ptr13exception_ptr10_M_releaseEv nothing
execv nothing
execvp nothing
execve nothing
execl nothing
execlp nothing
waitpid nothing
wait nothing
syslog nothing
vsyslog nothing
openlog nothing
closelog nothing
getopt nothing
getopt_long nothing
sysconf nothing
madvise nothing
munmap nothing
mprotect nothing
mtx_destroy nothing
cnd_init nothing
cnd_signal nothing
cnd_broadcast nothing
cnd_destroy nothing
thrd_detach nothing
thrd_sleep nothing
thrd_yield nothing
thrd_current nothing

std::lock lockall
heddle_lock_all lockall
heddle_threads_gone allgone
heddle_spin_lock lock
heddle_spin_unlock unlock
_ZNSt6threadD2Ev gone
_ZNSt6vectorISt6threadSaIS0_EED2Ev allgone
_ZNSt6vectorISt7jthreadSaIS0_EED2Ev allgone
_ZNSt6thread15_M_start_threadESt10unique_ptrINS_6_StateESt14default_deleteIS1_EEPFvvE stdstart handle=0 arg=1
_ZNSt6thread4joinEv join deref=1
_ZNSt6thread6detachEv nothing
_ZNSt6thread20hardware_concurrencyEv nothing
_ZNSt6thread6_StateD2Ev nothing
_ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE wait lock=1 deref=1
_ZNSt18condition_variableC1Ev nothing
_ZNSt18condition_variableD1Ev nothing
_ZNSt18condition_variable10notify_oneEv nothing
_ZNSt18condition_variable10notify_allEv nothing
_ZSt20__throw_system_errori nothing
_ZSt17__throw_bad_allocv nothing
_ZSt28__throw_bad_array_new_lengthv nothing
_ZSt20__throw_length_errorPKc nothing
_ZSt20__throw_out_of_rangePKc nothing
_ZSt24__throw_out_of_range_fmtPKcz nothing
_ZSt19__throw_logic_errorPKc nothing
_ZSt25__throw_bad_function_callv nothing
_ZSt16__throw_bad_castv nothing
_ZSt29_Rb_tree_insert_and_rebalancebPSt18_Rb_tree_node_baseS0_RS_ link
_ZSt28_Rb_tree_rebalance_for_erasePSt18_Rb_tree_node_baseRS_ link
_ZSt18_Rb_tree_incrementPSt18_Rb_tree_node_base link
_ZSt18_Rb_tree_incrementPKSt18_Rb_tree_node_base link
_ZSt18_Rb_tree_decrementPSt18_Rb_tree_node_base link
_ZSt18_Rb_tree_decrementPKSt18_Rb_tree_node_base link
_ZNSt8__detail15_List_node_base7_M_hookEPS0_ link
_ZNSt8__detail15_List_node_base9_M_unhookEv link
_ZNSt8__detail15_List_node_base11_M_transferEPS0_S1_ link
_ZNSt8__detail15_List_node_base10_M_reverseEv link
_ZNSt8__detail15_List_node_base4swapERS0_S1_ link
_ZNSt15basic_streambufIcSt11char_traitsIcEEC2Ev keep
_ZNSt15basic_streambufIwSt11char_traitsIwEEC2Ev keep
_ZNSt6locale5facetD2Ev keep
_ZSt13set_terminatePFvvE signal start=0
_ZSt14set_unexpectedPFvvE signal start=0
_ZSt15set_new_handlerPFvvE signal start=0

g_mutex_lock lock
g_mutex_trylock trylock success=nonzero
g_mutex_unlock unlock
g_mutex_init nothing
g_mutex_clear nothing
omp_init_lock nothing
omp_init_nest_lock nothing
omp_destroy_lock nothing
omp_destroy_nest_lock nothing
omp_set_lock lock
omp_unset_lock unlock
omp_test_lock trylock success=nonzero
omp_set_nest_lock lock kind=recursive
omp_unset_nest_lock unlock
omp_test_nest_lock trylock success=nonzero kind=recursive
__kmpc_critical lock lock=2
__kmpc_critical_with_hint lock lock=2
__kmpc_end_critical unlock lock=2
__kmpc_global_thread_num nothing
g_rec_mutex_lock lock kind=recursive
g_rec_mutex_trylock trylock success=nonzero kind=recursive
g_rec_mutex_unlock unlock
g_rw_lock_reader_lock lock mode=read
g_rw_lock_reader_trylock trylock mode=read success=nonzero
g_rw_lock_reader_unlock unlock mode=read
g_rw_lock_writer_lock lock
g_rw_lock_writer_trylock trylock success=nonzero
g_rw_lock_writer_unlock unlock
g_cond_wait wait lock=1
g_cond_wait_until wait lock=1
g_thread_new create handle=ret start=1 arg=2
g_thread_try_new create handle=ret start=1 arg=2
g_thread_join join
g_malloc alloc
g_malloc0 alloc
g_malloc_n alloc
g_malloc0_n alloc
g_slice_alloc alloc
g_slice_alloc0 alloc
g_realloc realloc
g_strdup alloc
g_free nothing
g_main_loop_run dispatch
g_main_context_iteration dispatch
g_idle_add calllater
g_timeout_add calllater
g_signal_connect_data calllater

apr_thread_mutex_create alloc handle=0
apr_thread_mutex_lock lock
apr_thread_mutex_trylock trylock
apr_thread_mutex_unlock unlock
apr_thread_rwlock_create alloc handle=0
apr_thread_rwlock_rdlock lock mode=read
apr_thread_rwlock_wrlock lock
apr_thread_rwlock_tryrdlock trylock mode=read
apr_thread_rwlock_trywrlock trylock
apr_thread_rwlock_unlock unlock
apr_thread_cond_create alloc handle=0
apr_thread_cond_wait wait lock=1
apr_thread_cond_timedwait wait lock=1
apr_thread_create create handle=0 start=2 arg=3 param=1
apr_thread_join join lock=1

uv_mutex_init nothing
uv_mutex_init_recursive nothing
uv_mutex_destroy nothing
uv_mutex_lock lock
uv_mutex_trylock trylock
uv_mutex_unlock unlock
uv_rwlock_init nothing
uv_rwlock_rdlock lock mode=read
uv_rwlock_wrlock lock
uv_rwlock_tryrdlock trylock mode=read
uv_rwlock_trywrlock trylock
uv_rwlock_rdunlock unlock mode=read
uv_rwlock_wrunlock unlock
uv_cond_wait wait lock=1
uv_cond_timedwait wait lock=1
uv_once once start=1
uv_thread_create create handle=0 start=1 arg=2
uv_thread_join join deref=1
uv_run dispatch
uv_timer_start calllater
uv_async_init calllater
uv_queue_work calllater

CRYPTO_THREAD_lock_new alloc
CRYPTO_THREAD_read_lock lock mode=read success=nonzero
CRYPTO_THREAD_write_lock lock success=nonzero
CRYPTO_THREAD_unlock unlock success=nonzero
CRYPTO_THREAD_run_once once start=1 success=nonzero
CRYPTO_malloc alloc
CRYPTO_zalloc alloc

event_new calllater start=3 arg=4 param=2
event_set calllater start=3 arg=4 param=2
event_assign calllater start=4 arg=5 param=2
event_base_loop dispatch
event_base_dispatch dispatch
event_dispatch dispatch
event_loop dispatch
event_init alloc
event_base_set nothing
event_add nothing
event_del nothing
event_get_version alloc
event_base_free nothing
event_base_loopexit nothing
event_base_loopbreak nothing
event_config_new alloc
event_config_set_flag nothing
event_config_free nothing
event_get_method alloc
freeaddrinfo nothing
getnameinfo nothing
getsockname nothing
getpeername nothing
getrusage nothing
getpwnam alloc
setuid nothing
setgid nothing
getuid nothing
geteuid nothing
setrlimit nothing
getrlimit nothing
setsid nothing
chdir nothing
dup2 nothing
pipe nothing
eventfd nothing
chmod nothing
umask nothing
ftruncate nothing
ftruncate64 nothing
mlockall nothing
strftime nothing
strtok_r returns
strnlen nothing
inet_ntop nothing
shutdown nothing
accept4 nothing
gethostname nothing
event_base_new alloc
event_base_new_with_config alloc
bufferevent_setcb calllater
evhttp_set_gencb calllater
)";

}  // namespace heddle::deadlock
