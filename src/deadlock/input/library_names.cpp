// Functions (and variables) of glibc that keep nothing of what they are given and call no function of the program: the
// exported names, without those that take functions, keep memory, start threads, jump, or end the program.
#include <string>
#include <unordered_set>

#include "deadlock/input/primitives.h"

namespace heddle::deadlock {
namespace {

constexpr std::string_view kNames = R"(
__asprintf_chk __close __confstr_chk __connect __ctype_b __ctype_get_mb_cur_max __ctype_init __ctype_tolower
__ctype_toupper __dprintf_chk __environ __explicit_bzero_chk __fbufsize __fcntl __fdelt_chk __fgets_chk
__fgets_unlocked_chk __fgetws_chk __fgetws_unlocked_chk __finite __finitef __finitel __flbf __fpclassify __fpclassifyf
__fpclassifyl __fpending __fpurge __fread_chk __fread_unlocked_chk __freadable __freading __fsetlocking __fwprintf_chk
__fwritable __fwriting __fxstat __fxstat64 __fxstatat __fxstatat64 __getcwd_chk __getdelim __getdomainname_chk
__getgroups_chk __gethostname_chk __getlogin_r_chk __gets_chk __getwd_chk __h_errno_location __isalnum_l __isinf
__isinff __isinfl __isnan __isnanf __isnanl __isoc99_fwscanf __isoc99_swscanf __isoc99_vfscanf __isoc99_vfwscanf
__isoc99_vscanf __isoc99_vsscanf __isoc99_vswscanf __isoc99_vwscanf __isoc99_wscanf __libc_current_sigrtmax
__libc_current_sigrtmin __lseek __lxstat __lxstat64 __mbsnrtowcs_chk __mbsrtowcs_chk __mbstowcs_chk __memcmpeq
__mempcpy __mempcpy_chk __obstack_printf_chk __obstack_vprintf_chk __open __open64 __open64_2 __open_2 __openat64_2
__openat_2 __overflow __poll __poll_chk __ppoll_chk __pread64 __pread64_chk __pread_chk __progname __progname_full
__ptsname_r_chk __pwrite64 __read __read_chk __readlink_chk __readlinkat_chk __realpath_chk __recv_chk __recvfrom_chk
__sbrk __sched_cpualloc __sched_cpucount __sched_cpufree __sched_get_priority_max __sched_get_priority_min
__sched_getparam __sched_getscheduler __sched_setscheduler __sched_yield __select __send __signbit __signbitf
__signbitl __stpcpy __stpcpy_chk __stpncpy __stpncpy_chk __strcasecmp __strcasecmp_l __strcasestr __strcoll_l
__strerror_r __strfmon_l __strftime_l __strncasecmp_l __strncat_chk __strtod_l __strtof_l __strtok_r __strtol_l
__strtold_l __strtoll_l __strtoul_l __strtoull_l __strverscmp __strxfrm_l __swprintf_chk __syslog_chk __tolower_l
__toupper_l __ttyname_r_chk __uflow __vasprintf_chk __vdprintf_chk __vfwprintf_chk __vprintf_chk __vsprintf_chk
__vswprintf_chk __vsyslog_chk __vwprintf_chk __wcpcpy_chk __wcpncpy_chk __wcrtomb_chk __wcscat_chk __wcscpy_chk
__wcsncat_chk __wcsncpy_chk __wcsnrtombs_chk __wcsrtombs_chk __wcstol_l __wcstold_l __wcstoll_l __wcstombs_chk
__wctomb_chk __wmemcpy_chk __wmemmove_chk __wmempcpy_chk __wmemset_chk __wprintf_chk __write __xmknod __xstat
__xstat64 _tolower _toupper a64l abs access acct acos acosf acosh acoshf acoshl acosl addmntent addseverity adjtime
adjtimex alarm arc4random arc4random_buf arc4random_uniform arch_prctl argz_add argz_add_sep argz_append argz_count
argz_create argz_create_sep argz_delete argz_extract argz_insert argz_next argz_replace argz_stringify asctime
asctime_r asin asinf asinh asinhf asinhl asinl atan atan2 atan2f atan2l atanf atanh atanhf atanhl atanl atoll
backtrace backtrace_symbols backtrace_symbols_fd basename bcopy bdflush bind_textdomain_codeset bindresvport
bindtextdomain brk btowc bzero c16rtomb c32rtomb c8rtomb cabs cabsf cabsl cacos cacosf cacosh cacoshf cacoshl cacosl
canonicalize canonicalize_file_name canonicalizef canonicalizel capget capset carg cargf cargl casin casinf casinh
casinhf casinhl casinl catan catanf catanh catanhf catanhl catanl catclose catgets catopen cbrt cbrtf cbrtl ccos ccosf
ccosh ccoshf ccoshl ccosl ceil ceilf ceill cexp cexpf cexpl cfgetispeed cfgetospeed cfmakeraw cfsetispeed cfsetospeed
cfsetspeed chflags chown chroot cimag cimagf cimagl clearenv clearerr clearerr_unlocked clock clock_adjtime
clock_getcpuclockid clock_getres clock_nanosleep clock_settime clog clog10 clog10f clog10l clogf clogl close_range
closedir closefrom confstr conj conjf conjl copy_file_range copysign copysignf copysignl cos cosf cosh coshf coshl
cosl cpow cpowf cpowl cproj cprojf cprojl creal crealf creall creat creat64 csin csinf csinh csinhf csinhl csinl csqrt
csqrtf csqrtl ctan ctanf ctanh ctanhf ctanhl ctanl ctermid ctime ctime_r cuserid daylight dcgettext dcngettext
dgettext difftime dirfd dirname div dn_comp dn_expand dn_skipname dngettext drand48 drand48_r drem dremf dreml dup
dup3 duplocale dysize eaccess ecvt ecvt_r endaliasent endfsent endgrent endhostent endmntent endnetent endnetgrent
endprotoent endpwent endrpcent endservent endsgent endspent endttyent endusershell endutent endutxent environ envz_add
envz_entry envz_get envz_merge envz_remove envz_strip erand48 erand48_r erf erfc erfcf erfcl erff erfl errno
ether_aton ether_aton_r ether_hostton ether_line ether_ntoa ether_ntoa_r ether_ntohost euidaccess eventfd_read
eventfd_write execle execveat execvpe exp exp10 exp10f exp10l exp2 exp2f exp2l expf expl explicit_bzero expm1 expm1f
expm1l fabs fabsf fabsl faccessat fallocate fallocate64 fattach fchdir fchflags fchmod fchmodat fchown fchownat
fcloseall fcvt fcvt_r fdatasync fdetach fdim fdimf fdiml fdopendir feclearexcept fedisableexcept feenableexcept
fegetenv fegetexcept fegetexceptflag fegetmode fegetround feholdexcept feof_unlocked feraiseexcept ferror_unlocked
fesetenv fesetexcept fesetexceptflag fesetmode fesetround fetestexcept fetestexceptflag feupdateenv fexecve
fflush_unlocked ffma ffmal ffs ffsl ffsll fgetc_unlocked fgetgrent fgetpos fgetpos64 fgetpwent fgets_unlocked
fgetsgent fgetspent fgetwc fgetwc_unlocked fgetws fgetws_unlocked fgetxattr fileno_unlocked finite finitef finitel
flistxattr flock flockfile floor floorf floorl fmaf fmax fmaxf fmaximum fmaximum_mag fmaximum_mag_num
fmaximum_mag_numf fmaximum_mag_numl fmaximum_magf fmaximum_magl fmaximum_num fmaximum_numf fmaximum_numl fmaximumf
fmaximuml fmaxl fmaxmag fmaxmagf fmaxmagl fmemopen fmin fminf fminimum fminimum_mag fminimum_mag_num fminimum_mag_numf
fminimum_mag_numl fminimum_magf fminimum_magl fminimum_num fminimum_numf fminimum_numl fminimumf fminimuml fminl
fminmag fminmagf fminmagl fmod fmodf fmodl fmtmsg fnmatch fpathconf fputc_unlocked fputs_unlocked fputwc
fputwc_unlocked fputws fputws_unlocked fread_unlocked freeifaddrs freelocale fremovexattr freopen freopen64 frexp
frexpf frexpl fromfp fromfpf fromfpl fromfpx fromfpxf fromfpxl fsconfig fseeko fseeko64 fsetpos fsetpos64 fsetxattr
fsmount fsopen fspick fstat64 fstatat fstatat64 fstatfs fstatfs64 fstatvfs fstatvfs64 fsync ftello ftello64 ftime ftok
ftrylockfile funlockfile futimens futimes futimesat fwide fwprintf fwrite_unlocked fwscanf gamma gammaf gammal gcvt
get_avphys_pages get_current_dir_name get_kernel_syms get_nprocs get_nprocs_conf get_phys_pages getaliasbyname
getaliasbyname_r getaliasent getauxval getc_unlocked getchar getchar_unlocked getcpu getdate getdate_err getdate_r
getdelim getdents64 getdirentries getdirentries64 getdomainname getdtablesize getegid getentropy getfsent getfsfile
getfsspec getgid getgrent getgrgid getgrgid_r getgrnam getgrnam_r getgrouplist getgroups gethostbyaddr gethostbyaddr_r
gethostbyname gethostbyname2 gethostbyname2_r gethostbyname_r gethostent gethostid getifaddrs getipv4sourcefilter
getitimer getloadavg getlogin getlogin_r getmntent getmsg getnetbyaddr getnetbyaddr_r getnetbyname getnetbyname_r
getnetent getnetgrent getnetname getopt_long_only getpagesize getpass getpayload getpayloadf getpayloadl getpgid
getpgrp getpmsg getppid getpriority getprotobyname getprotobyname_r getprotobynumber getprotobynumber_r getprotoent
getpt getpublickey getpw getpwent getpwent_r getpwnam_r getpwuid getpwuid_r getrandom getresgid getresuid getrlimit64
gets getsecretkey getservbyname getservbyname_r getservbyport getservbyport_r getservent getsgent getsgnam getsgnam_r
getsid getsourcefilter getspent getspnam getspnam_r getsubopt gettext gettid getttyent getttynam getusershell getutent
getutid getutid_r getutline getutline_r getutmp getutmpx getutxent getutxid getutxline getw getwc getwc_unlocked
getwchar getwchar_unlocked getwd getxattr gmtime_r grantpt group_member hasmntopt herror host2netname hstrerror htonl
htons hypot hypotf hypotl iconv iconv_close iconv_open if_freenameindex if_indextoname if_nameindex if_nametoindex
ilogb ilogbf ilogbl imaxabs imaxdiv in6addr_any in6addr_loopback index inet_addr inet_aton inet_lnaof inet_makeaddr
inet_netof inet_network inet_nsap_addr inet_nsap_ntoa inet_ntoa inet_pton initgroups initstate initstate_r innetgr
ioperm iopl isalnum isalnum_l isalpha isalpha_l isascii isastream isatty isblank isblank_l iscntrl iscntrl_l isctype
isdigit isdigit_l isfdtype isgraph isgraph_l isinf isinff isinfl islower islower_l isnan isnanf isnanl isprint
isprint_l ispunct ispunct_l isspace isspace_l isupper isupper_l iswalnum iswalnum_l iswalpha iswalpha_l iswblank
iswblank_l iswcntrl iswcntrl_l iswctype iswctype_l iswdigit iswdigit_l iswgraph iswgraph_l iswlower iswlower_l
iswprint iswprint_l iswpunct iswpunct_l iswspace iswspace_l iswupper iswupper_l iswxdigit iswxdigit_l isxdigit
isxdigit_l j0 j0f j0l j1 j1f j1l jn jnf jnl jrand48 jrand48_r killpg klogctl l64a labs lchmod lchown lckpwdf lcong48
lcong48_r ldexp ldexpf ldexpl ldiv lgamma lgamma_r lgammaf lgammaf_r lgammal lgammal_r lgetxattr link linkat listxattr
llabs lldiv llistxattr llogb llogbf llogbl llrint llrintf llrintl llround llroundf llroundl llseek localeconv
localtime_r lockf log log10 log10f log10l log1p log1pf log1pl log2 log2f log2l logb logbf logbl logf login login_tty
logl logout logwtmp lrand48 lrand48_r lremovexattr lrint lrintf lrintl lround lroundf lroundl lsetxattr lstat64
lutimes mblen mbrlen mbrtoc16 mbrtoc32 mbrtoc8 mbrtowc mbsinit mbsnrtowcs mbsrtowcs mbstowcs mbtowc memccpy
memfd_create memfrob memmem mincore mkdirat mkdtemp mkfifo mkfifoat mknod mknodat mkostemp mkostemp64 mkostemps
mkostemps64 mkstemp mkstemp64 mkstemps mkstemps64 mktemp mktime mlock mlock2 modf modff modfl modify_ldt mount
mount_setattr move_mount mrand48 mrand48_r mremap msgctl msgget msgrcv msgsnd msync munlock munlockall
name_to_handle_at nan nanf nanl nearbyint nearbyintf nearbyintl newlocale nextafter nextafterf nextafterl nextdown
nextdownf nextdownl nexttoward nexttowardf nexttowardl nextup nextupf nextupl ngettext nice nl_langinfo nl_langinfo_l
nrand48 nrand48_r ntohl ntohs ntp_adjtime ntp_gettime ntp_gettimex open_by_handle_at open_tree openat openat64 openpty
optarg opterr optind optopt parse_printf_format passwd2des pathconf pause pclose pidfd_getfd pidfd_open
pidfd_send_signal pipe2 pivot_root pkey_alloc pkey_free pkey_get pkey_mprotect pkey_set posix_fadvise posix_fadvise64
posix_fallocate posix_fallocate64 posix_madvise posix_openpt pow pow10 pow10f pow10l powf powl ppoll pread64 preadv
preadv2 preadv64 preadv64v2 printf_size printf_size_info prlimit prlimit64 process_madvise process_mrelease
program_invocation_name program_invocation_short_name pselect psiginfo psignal ptsname ptsname_r putc_unlocked
putchar_unlocked putgrent putmsg putpmsg putpwent putsgent putspent pututline pututxline putw putwc putwc_unlocked
putwchar putwchar_unlocked pwrite64 pwritev pwritev2 pwritev64 pwritev64v2 qecvt qecvt_r qfcvt qfcvt_r qgcvt
query_module quotactl random_r readahead readdir readdir64 readdir64_r readdir_r readlink readlinkat readv reboot
recvmmsg regcomp regerror regexec regfree remainder remainderf remainderl remap_file_pages remove removexattr remquo
remquof remquol renameat renameat2 revoke rewind rewinddir rindex rint rintf rintl rmdir round roundeven roundevenf
roundevenl roundf roundl rpmatch rresvport rresvport_af rtime sbrk scalb scalbf scalbl scalbln scalblnf scalblnl
scalbn scalbnf scalbnl sched_get_priority_max sched_get_priority_min sched_getaffinity sched_getcpu sched_getparam
sched_getscheduler sched_rr_get_interval sched_setaffinity sched_setparam sched_setscheduler secure_getenv seed48
seed48_r seekdir semctl semget semop semtimedop sendfile sendfile64 sendmmsg setaliasent setbuf setbuffer
setdomainname setegid setenv seteuid setfsent setfsgid setfsuid setgrent setgroups sethostent sethostid sethostname
setipv4sourcefilter setitimer setlinebuf setlogin setlogmask setmntent setnetent setnetgrent setpayload setpayloadf
setpayloadl setpayloadsig setpayloadsigf setpayloadsigl setpgid setpgrp setpriority setprotoent setpwent setregid
setresgid setresuid setreuid setrlimit64 setservent setsgent setsourcefilter setspent setstate setstate_r settimeofday
setttyent setusershell setutent setutxent setvbuf setxattr sgetsgent sgetspent shm_open shm_unlink shmat shmctl shmdt
shmget sigabbrev_np sigandset sigblock sigdelset sigdescr_np siggetmask sighold sigignore sigisemptyset sigismember
signalfd signgam significand significandf significandl sigorset sigpause sigpending sigqueue sigrelse sigsetmask
sigsuspend sigtimedwait sigwait sigwaitinfo sin sincos sincosf sincosl sinf sinh sinhf sinhl sinl sockatmark
socketpair splice sqrt sqrtf sqrtl srand48 srand48_r srandom_r sstk stat64 statfs statfs64 statvfs statvfs64 statx
stderr stdin stdout stime stpcpy stpncpy strcasecmp_l strchrnul strcoll strcoll_l strerror_l strerror_r
strerrordesc_np strerrorname_np strfmon strfmon_l strfromd strfromf strfroml strfry strftime_l strncasecmp_l strptime
strptime_l strsignal strtod_l strtof strtof128_l strtof32_l strtof32x_l strtof64_l strtof64x_l strtof_l strtoimax
strtol_l strtold strtold_l strtoll_l strtoq strtoul_l strtoull_l strtoumax strtouq strverscmp strxfrm strxfrm_l swab
swapoff swapon swprintf swscanf symlink symlinkat sync sync_file_range syncfs sys_errlist sys_sigabbrev sys_siglist
sysctl sysinfo system tan tanf tanh tanhf tanhl tanl tcdrain tcflow tcflush tcgetattr tcgetpgrp tcgetsid tcsendbreak
tcsetattr tcsetpgrp tee telldir tempnam textdomain tgamma tgammaf tgammal tgkill timegm timelocal timerfd_create
timerfd_gettime timerfd_settime times timespec_get timespec_getres timezone tmpfile64 tmpnam tmpnam_r toascii tolower
tolower_l totalorder totalorderf totalorderl totalordermag totalordermagf totalordermagl toupper toupper_l towctrans
towctrans_l towlower towlower_l towupper towupper_l tr_break trunc truncate truncate64 truncf truncl ttyname ttyname_r
ttyslot tzname tzset ualarm ufromfp ufromfpf ufromfpl ufromfpx ufromfpxf ufromfpxl ulckpwdf ulimit umount umount2
uname ungetwc unlinkat unlockpt unsetenv updwtmp updwtmpx uselib uselocale ustat utime utimensat utimes utmpname
utmpxname vdprintf vfscanf vfwprintf vfwscanf vhangup vscanf vsscanf vswprintf vswscanf vwarn vwarnx vwprintf vwscanf
wait3 wait4 waitid warn warnx wcpcpy wcpncpy wcrtomb wcscasecmp wcscasecmp_l wcscat wcschr wcschrnul wcscmp wcscoll
wcscoll_l wcscpy wcscspn wcsdup wcsftime wcsftime_l wcslen wcsncasecmp wcsncasecmp_l wcsncat wcsncmp wcsncpy wcsnlen
wcsnrtombs wcspbrk wcsrchr wcsrtombs wcsspn wcsstr wcstod wcstod_l wcstof wcstof128_l wcstof32_l wcstof32x_l
wcstof64_l wcstof64x_l wcstof_l wcstoimax wcstok wcstol wcstol_l wcstold wcstold_l wcstoll wcstoll_l wcstombs wcstoq
wcstoul wcstoul_l wcstoull wcstoull_l wcstoumax wcstouq wcswcs wcswidth wcsxfrm wcsxfrm_l wctob wctomb wctrans
wctrans_l wctype wctype_l wcwidth wmemchr wmemcmp wmemcpy wmemmove wmempcpy wmemset wordexp wordfree wprintf writev
wscanf xdecrypt xencrypt y0 y0f y0l y1 y1f y1l yn ynf ynl
)";

std::unordered_set<std::string_view> Words(std::string_view text) {
  std::unordered_set<std::string_view> words;
  while (true) {
    size_t begin = text.find_first_not_of(" \n");
    if (begin == std::string_view::npos) return words;
    size_t end = text.find_first_of(" \n", begin);
    words.insert(text.substr(begin, end - begin));
    text = text.substr(end);
  }
}

// A function or a table of the C++ library; one that takes a function pointer may call it. Memory resources call one
// another, and notify_all_at_thread_exit keeps a lock.
bool FromCxxLibrary(std::string_view name) {
  for (std::string_view keeps : {"_ZNSt3pmr", "_ZNKSt3pmr", "_ZSt25notify_all_at_thread_exit"}) {
    if (name.starts_with(keeps)) return false;
  }
  bool known = IsCxxLibraryName(name);
  for (std::string_view start : {"__cxa_", "_ZTV", "_ZTI", "_ZTS", "_ZTT", "_ZGTt"}) known |= name.starts_with(start);
  return known && name.find("PF") == std::string_view::npos;
}

}  // namespace

bool IsCxxLibraryName(std::string_view name) {
  for (std::string_view start : {"_ZSt", "_ZNSt", "_ZNKSt", "_ZNSa", "_ZNKSa", "_ZNSs", "_ZNKSs", "_ZNSi", "_ZNSo",
                                 "_ZNSd", "_ZNVSt", "_ZNKVSt", "_ZN9__gnu_cxx", "_ZNK9__gnu_cxx"}) {
    if (name.starts_with(start)) return true;
  }
  return false;
}

bool IsPlainLibraryFunction(std::string_view name) {
  static const std::unordered_set<std::string_view> names = Words(kNames);
  return names.count(name) != 0 || FromCxxLibrary(name);
}

}  // namespace heddle::deadlock
