import { linkOptions } from '@tanstack/react-router';
import { expect, test } from 'vitest';
import { features, navigation } from './features';
import { router } from './router';

test('every folder of features is listed', () => {
  expect(features).toHaveLength(Object.keys(import.meta.glob('./features/*/index.ts')).length);
});

test('every feature has the page that the navigation leads to', () => {
  expect(Object.keys(router.routesByPath)).toEqual(expect.arrayContaining(features.map((f) => f.path)));
});

test('the compiler knows the addresses of all features', () => {
  // @ts-expect-error No feature has this page. Were the types of the routes lost, every address would be taken.
  expect(linkOptions({ to: '/nothing' })).toBeDefined();
});

test('the navigation shows what a user may see', () => {
  const shown = (scopes: string[]) => navigation(scopes).map((g) => g.features.map((f) => f.path));
  expect(shown(['calls:read'])).toEqual([['/', '/calls', '/analytics'], ['/api-keys']]);
  expect(shown(['*']).flat()).toHaveLength(features.length);
});
