int cached_value(int);
int logged(int);
int dyn_value(void);
