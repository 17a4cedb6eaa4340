.globl Other
Other:
  mov $42, %eax
  ret
.section .note.GNU-stack,"",@progbits
