/** A page of a list. */
export interface Page<T> {
  items: T[];
  /** The number of items in all. */
  total: number;
}

/** What the API answers a list with: it is paged by offset or by page. */
interface Answer<T> extends Page<T> {
  offset?: number;
  page?: number;
  page_size?: number;
}

/** The query of the page after another; undefined after the last. */
function next<T>(answer: Answer<T>): { offset: number } | { page: number } | undefined {
  if (answer.items.length === 0) return undefined;
  if (answer.page !== undefined) {
    return answer.page * (answer.page_size ?? 0) < answer.total ? { page: answer.page + 1 } : undefined;
  }
  const offset = (answer.offset ?? 0) + answer.items.length;
  return offset < answer.total ? { offset } : undefined;
}

/**
 * A list. Awaited, it is the page that was asked for; iterated, it is all items from there on, with a request for each
 * page:
 *
 *     const { total } = await parley.agents.list({ limit: 1 });
 *     for await (const agent of parley.agents.list()) console.log(agent.name);
 */
export class Pages<T> implements PromiseLike<Page<T>>, AsyncIterable<T> {
  readonly #load: (query: object) => Promise<Page<T>>;

  constructor(load: (query: object) => Promise<Page<T>>) {
    this.#load = load;
  }

  then<A = Page<T>, B = never>(
    done?: ((page: Page<T>) => A | PromiseLike<A>) | null,
    failed?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    return this.#load({}).then(done, failed);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    for (let query: object | undefined = {}; query;) {
      const page: Page<T> = await this.#load(query);
      yield* page.items;
      query = next(page);
    }
  }
}
