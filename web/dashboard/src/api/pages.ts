/** pageSize is the number of items on a page of a list that has pages. */
export const pageSize = 25;

/** allPages gathers the items of a list that is answered in pages. */
export async function allPages<T>(
  page: (offset: number) => Promise<{ items: T[] | null; total: number }>,
): Promise<T[]> {
  const found: T[] = [];
  for (;;) {
    const { items, total } = await page(found.length);
    found.push(...(items ?? []));
    if (!items?.length || found.length >= total) return found;
  }
}
