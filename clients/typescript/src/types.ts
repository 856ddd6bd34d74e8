import type { operations } from './generated/description.js';

type Id = keyof operations;

type Success<K extends Id> = operations[K]['responses'][keyof operations[K]['responses'] & (200 | 201 | 202)];

type Content<R, Media extends string> = R extends { content: { [M in Media]: infer C } } ? C : never;

/** What an operation is answered with. */
export type Answer<K extends Id> = Content<Success<K>, 'application/json'>;

/** An item of the list that an operation is answered with. */
export type Item<K extends Id> = Answer<K> extends { items: (infer I)[] } ? I : never;

/** A message of a stream, without heartbeats; an error message is thrown. */
export type Message<K extends Id> = Exclude<
  Content<Success<K>, 'text/event-stream'> extends (infer M)[] ? M : never,
  { event: 'heartbeat' } | { event: 'error' }
>;

/** The body of an operation's request. */
export type Body<K extends Id> =
  NonNullable<operations[K]['requestBody']> extends { content: { 'application/json': infer B } } ? B : never;

type Parameters<K extends Id> = NonNullable<operations[K]['parameters']['query']>;

/**
 * The query parameters of an operation. A family of parameters such as metadata.{key} is an object:
 * {metadata: {order: '4711'}} is sent as metadata.order=4711.
 */
export type Query<K extends Id> = {
  [P in keyof Parameters<K> as P extends `${string}.{key}` ? never : P]: Parameters<K>[P];
} & { [P in keyof Parameters<K> as P extends `${infer Name}.{key}` ? Name : never]?: Record<string, string> };
