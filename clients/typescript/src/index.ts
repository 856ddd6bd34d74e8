import { Resources } from './generated/resources.js';
import { Transport, type ClientOptions } from './transport.js';

export * from './errors.js';
export * from './signature.js';
export type { Page, Pages } from './pages.js';
export type { CallOptions, ClientOptions } from './transport.js';
export type { Answer, Body, Item, Message, Query } from './types.js';
export type { ErrorCode } from './generated/resources.js';
export type * as Schemas from './generated/schemas.js';

/** A client of one server with one credential. Its fields are the resources of the API. */
export class Parley extends Resources {
  constructor(options: ClientOptions) {
    super(new Transport(options));
  }
}
