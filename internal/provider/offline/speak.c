// flite behind a pipe: text in, speech out as it is made.
//
// In:  S  four bytes of duration stretch (a float: 2 is half the speed), text
// Out: R  ready; the payload is the sample rate, four bytes
//      A  audio, mono, signed 16 bit little endian
//      W  the words of the audio that follows: for each, seconds of its start
//         and end (two floats) from the start of that audio, two bytes of
//         length, text
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
  F(feat_set_float) F(flite_text_to_speech) F(get_param_int)                          \
  F(utt_relation) F(relation_head) F(item_next) F(item_feat_string) F(ffeature_float)
#define DECLARE(name) static __typeof__(&name) do_##name;
#define RESOLVE(name) do_##name = (__typeof__(&name))find_symbol(library, #name);
FUNCTIONS(DECLARE)

// 20 ms at 16 kHz: what the parent gets at a time.
enum { PIECE = 320 };

// tell_words hands on when which word of an utterance is spoken: its segments
// hang below words, and words below the tokens of the text.
static void tell_words(const cst_utterance *utterance) {
  static char table[1 << 15];
  size_t size = 0;
  cst_relation *tokens = do_utt_relation((cst_utterance *)utterance, "Token");
  if (tokens == NULL) return;
  for (cst_item *t = do_relation_head(tokens); t != NULL; t = do_item_next(t)) {
    const char *name = do_item_feat_string(t, "name");
    float times[2] = {
        do_ffeature_float(t, "R:Token.daughter1.R:SylStructure.daughter1.daughter1.R:Segment.p.end"),
        do_ffeature_float(t, "R:Token.daughtern.R:SylStructure.daughtern.daughtern.R:Segment.end"),
    };
    uint16_t length = (uint16_t)strlen(name);
    if (size + sizeof times + 2 + length > sizeof table) break;
    if (times[1] <= times[0]) continue; // punctuation alone
    memcpy(table + size, times, sizeof times);
    memcpy(table + size + sizeof times, &length, 2);
    memcpy(table + size + sizeof times + 2, name, length);
    size += sizeof times + 2 + length;
  }
  write_frame('W', table, (uint32_t)size);
}

static int hand_on(const cst_wave *wave, int start, int size, int last, cst_audio_streaming_info *info) {
  (void)last;
  if (start == 0 && info->utt != NULL) tell_words(info->utt);
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
