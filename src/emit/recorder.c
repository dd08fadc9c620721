#include "emit/emitter.h"
void recorder_free(hectic_emitter *e){(void)e;} void recorder_serve(hectic_emitter *e){(void)e;}
