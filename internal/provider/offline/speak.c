// flite behind a pipe: text in, speech out as it is made.
//
// In:  S  four bytes of duration stretch (a float: 2 is half the speed), text
// Out: R  ready; the payload is the sample rate, four bytes
//      A  audio, mono, signed 16 bit little endian
//      D  the S is done: one for each
//      E  why the process cannot work
//
// There is no order to be silent: the parent ends the process instead, and a
// new one is ready in a few milliseconds.
#include "speech.h"

#include <flite/flite.h>
#include <stdio.h>
#include <string.h>

#define FUNCTIONS(F)                                                                  \
  F(flite_init) F(new_audio_streaming_info) F(audio_streaming_info_val) F(feat_set)   \
  F(feat_set_float) F(flite_text_to_speech) F(get_param_int)
#define DECLARE(name) static __typeof__(&name) do_##name;
#define RESOLVE(name) do_##name = (__typeof__(&name))find_symbol(library, #name);
FUNCTIONS(DECLARE)

// 20 ms at 16 kHz: what the parent gets at a time.
enum { PIECE = 320 };

static int hand_on(const cst_wave *wave, int start, int size, int last, cst_audio_streaming_info *info) {
  (void)last;
  (void)info;
  if (size > 0) write_frame('A', wave->samples + start, (uint32_t)size * 2);
  return CST_AUDIO_STREAM_CONT;
}

void speak_loop(int argc, char **argv) {
  if (argc != 2) give_up("read options", "name a voice");
  char file[64], symbol[64];
  snprintf(file, sizeof file, "libflite_cmu_us_%s.so.1", argv[1]);
  snprintf(symbol, sizeof symbol, "register_cmu_us_%s", argv[1]);
  void *library = open_library("libflite.so.1");
  FUNCTIONS(RESOLVE)
  open_library("libflite_usenglish.so.1");
  open_library("libflite_cmulex.so.1");
  cst_voice *(*make_voice)(const char *) = (cst_voice * (*)(const char *)) find_symbol(open_library(file), symbol);

  do_flite_init();
  cst_voice *voice = make_voice(NULL);
  if (voice == NULL) give_up("load voice", argv[1]);
  cst_audio_streaming_info *stream = do_new_audio_streaming_info();
  stream->min_buffsize = PIECE;
  stream->asc = hand_on;
  do_feat_set(voice->features, "streaming_info", do_audio_streaming_info_val(stream));
  uint32_t rate = (uint32_t)do_get_param_int(voice->features, "sample_rate", 16000);
  write_frame('R', &rate, sizeof rate);

  frame f;
  while (read_frame(&f)) {
    float stretch;
    if (f.kind != 'S' || f.size < sizeof stretch) give_up("read a frame", "its kind is unknown");
    memcpy(&stretch, f.payload, sizeof stretch);
    do_feat_set_float(voice->features, "duration_stretch", stretch);
    do_flite_text_to_speech(f.payload + sizeof stretch, voice, "none");
    write_frame('D', NULL, 0);
  }
}
