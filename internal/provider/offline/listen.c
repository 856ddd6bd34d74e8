// pocketsphinx behind a pipe: audio in, hypotheses out.
//
// In:  A  audio, 16 kHz, mono, signed 16 bit little endian
//      F  end of the utterance: answered by one T
//      Z  forget the utterance
//      Q  send no more S and P: nobody reads them
// Out: R  ready
//      S  no speech yet in so many samples of this utterance (uint32)
//      V  speech was found after so many samples of this utterance (uint32)
//      P  what the utterance is so far (a result), when it changed
//      T  what the utterance was (a result)
//      E  why the process cannot work
#include "speech.h"

#include <pocketsphinx.h>
#include <sphinxbase/err.h>
#include <stddef.h>
#include <string.h>

#define FUNCTIONS(F)                                                                    \
  F(err_set_logfp) F(cmd_ln_parse_r) F(ps_args) F(ps_init) F(ps_start_utt) F(ps_end_utt) \
  F(ps_process_raw) F(ps_get_in_speech) F(ps_get_hyp) F(ps_seg_iter) F(ps_seg_next)     \
  F(ps_seg_word) F(ps_seg_frames) F(ps_seg_prob)
#define DECLARE(name) static __typeof__(&name) do_##name;
#define RESOLVE(name) do_##name = (__typeof__(&name))find_symbol(library, #name);
FUNCTIONS(DECLARE)

// How often, in samples, the hypothesis is looked at while speech goes on, and
// silence is reported before it begins.
enum { LOOK_EVERY = 16000 * 60 / 1000, SILENCE_EVERY = 16000 * 300 / 1000, TEXT_MAX = 4096 };

typedef struct __attribute__((packed)) {
  float score;      // acoustic score per frame over the words
  uint32_t frames;  // frames (10 ms) that words cover
  uint8_t complete; // the hypothesis is a whole sentence of the grammar
  char text[TEXT_MAX];
} result;

// look fills a result with the decoder's present hypothesis. Fillers ("<sil>",
// "[NOISE]", "<s>") are no words; "read(2)" is a second way to say "read".
static uint32_t look(ps_decoder_t *decoder, result *r) {
  double total = 0;
  size_t length = 0;
  memset(r, 0, offsetof(result, text));
  for (ps_seg_t *s = do_ps_seg_iter(decoder); s != NULL; s = do_ps_seg_next(s)) {
    const char *word = do_ps_seg_word(s);
    if (word == NULL || strchr("<[(+", word[0]) != NULL) continue;
    int first, last;
    int32 acoustic, language, back;
    do_ps_seg_frames(s, &first, &last);
    do_ps_seg_prob(s, &acoustic, &language, &back);
    int frames = last - first + 1;
    if (frames < 1) continue;
    r->frames += (uint32_t)frames;
    total += acoustic;
    size_t n = strcspn(word, "(");
    if (length + n + 1 >= TEXT_MAX) break;
    if (length > 0) r->text[length++] = ' ';
    memcpy(r->text + length, word, n);
    length += n;
  }
  if (r->frames > 0) r->score = (float)(total / r->frames);
  return (uint32_t)(offsetof(result, text) + length);
}

// breathe lays noise of 15 steps at most (-70 dBFS) under the sound. Opus and
// muted microphones send digital silence, whose features are like nothing that
// the acoustic model has learnt: it hears words in it.
static void breathe(int16 *pcm, size_t n) {
  static uint32_t state = 1;
  for (size_t i = 0; i < n; i++) {
    state = state * 1664525 + 1013904223; // Numerical Recipes, 7.1
    int v = pcm[i] + (int)(state >> 16) % 31 - 15;
    pcm[i] = (int16)(v > 32767 ? 32767 : v < -32768 ? -32768 : v);
  }
}

static int same_text(const result *a, uint32_t a_size, const result *b, uint32_t b_size) {
  return a_size == b_size && memcmp(a->text, b->text, a_size - offsetof(result, text)) == 0;
}

void listen_loop(int argc, char **argv) {
  void *base = open_library("libsphinxbase.so.3");
  void *library = open_library("libpocketsphinx.so.3");
  (void)base;
  FUNCTIONS(RESOLVE)
  do_err_set_logfp(NULL);
  cmd_ln_t *options = do_cmd_ln_parse_r(NULL, do_ps_args(), argc, argv, FALSE);
  if (options == NULL) give_up("read options", "pocketsphinx refuses them");
  ps_decoder_t *decoder = do_ps_init(options);
  if (decoder == NULL) give_up("load model", "pocketsphinx refuses it");
  do_ps_start_utt(decoder);
  write_frame('R', NULL, 0);

  static result now, before, shown; // two looks alike make a hypothesis stable
  uint32_t before_size = offsetof(result, text), shown_size = before_size;
  int spoken = 0, since_look = 0, quiet = 0;
  uint32_t position = 0, reported = 0; // samples of this utterance
  frame f;
  while (read_frame(&f)) {
    switch (f.kind) {
    case 'A':
      breathe((int16 *)f.payload, f.size / 2);
      do_ps_process_raw(decoder, (int16 *)f.payload, f.size / 2, FALSE, FALSE);
      position += f.size / 2;
      if (!spoken && do_ps_get_in_speech(decoder)) {
        spoken = 1;
        write_frame('V', &position, sizeof position);
      }
      if (!spoken && !quiet && position - reported >= SILENCE_EVERY) {
        write_frame('S', &position, sizeof position);
        reported = position;
      }
      since_look += (int)(f.size / 2);
      if (quiet || !spoken || since_look < LOOK_EVERY) break;
      since_look = 0;
      uint32_t size = look(decoder, &now);
      int stable = same_text(&now, size, &before, before_size);
      int told = same_text(&now, size, &shown, shown_size);
      if (stable && !told) {
        write_frame('P', &now, size);
        shown = now;
        shown_size = size;
      }
      before = now;
      before_size = size;
      break;
    case 'F': {
      uint32_t partial = look(decoder, &before);
      do_ps_end_utt(decoder);
      uint32_t whole = look(decoder, &now);
      now.complete = now.frames > 0;
      if (now.complete)
        write_frame('T', &now, whole);
      else
        write_frame('T', &before, partial);
    }
      /* fall through */
    case 'Z':
      if (f.kind == 'Z') do_ps_end_utt(decoder);
      do_ps_start_utt(decoder);
      before_size = shown_size = offsetof(result, text);
      spoken = since_look = 0;
      position = reported = 0;
      break;
    case 'Q':
      quiet = 1;
      break;
    default:
      give_up("read a frame", "its kind is unknown");
    }
  }
}
