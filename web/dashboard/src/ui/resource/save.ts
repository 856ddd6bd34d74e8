import type { UseFormReturnType } from '@mantine/form';
import { notifications } from '@mantine/notifications';
import { type QueryKey, useMutation, useQueryClient } from '@tanstack/react-query';
import { Problem } from '../../api/client';
import { formPath } from '../../api/patch';
import { message } from '../Trouble';

interface Save<V, R> {
  send: (values: V) => Promise<R>;
  /** Queries that the change makes stale. */
  refresh?: QueryKey[];
  /** What is said when it is done. */
  said?: string;
  done?: (kept: R) => void;
}

function useChange<V, R>({ send, refresh = [], said, done }: Save<V, R>, onError: (error: Error) => void) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: send,
    onSuccess: (kept: R) => {
      for (const queryKey of refresh) void queries.invalidateQueries({ queryKey });
      if (said) notifications.show({ message: said, color: 'teal' });
      done?.(kept);
    },
    onError,
  });
}

/**
 * useSave sends a form; what the API says of single fields becomes errors of the form, and the first of them has the focus.
 * Its error is null again when all marked fields were changed.
 */
export function useSave<V extends Record<string, unknown>, R>(form: UseFormReturnType<V>, save: Save<V, R>) {
  const change = useChange(save, (error) => {
    if (!(error instanceof Problem)) return;
    form.setErrors(Object.fromEntries(error.details.map((d) => [formPath(d.field), d.message])));
    requestAnimationFrame(() => document.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus());
  });
  const mended =
    change.error instanceof Problem && change.error.details.length > 0 && Object.keys(form.errors).length === 0;
  return { ...change, error: mended ? null : change.error };
}

/** useAction is a change without a form; what is wrong with it is said in a notification. */
export function useAction<R, V = void>(action: Save<V, R>) {
  return useChange(action, (error) => notifications.show({ message: message(error), color: 'red' }));
}

/** errorAt is the error of a field, or of what is within it. */
export function errorAt(errors: Record<string, unknown>, field: string): string | undefined {
  const at = Object.keys(errors).find((path) => path === field || path.startsWith(`${field}.`));
  return at === undefined ? undefined : String(errors[at]);
}

/** unplaced are the messages of an error that no field of a form shows. */
export function unplaced(error: unknown, fields: string[]): string[] {
  if (!(error instanceof Problem) || error.details.length === 0) return [message(error)];
  return error.details
    .filter((d) => !fields.includes(formPath(d.field).split('.')[0] ?? ''))
    .map((d) => `${d.field}: ${d.message}`);
}
