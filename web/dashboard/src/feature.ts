import type { LucideIcon } from 'lucide-react';

/** Feature is what index.ts of a folder of src/features declares; router, navigation and palette iterate over the list in features.ts. */
export interface Feature {
  /** The group of the navigation that it belongs to. */
  group: Group;
  /** Path of its first page. */
  path: string;
  label: string;
  icon: LucideIcon;
  /** A user needs one of these scopes to see it; without any, everyone does. */
  scopes?: readonly string[];
  /** Its pages below the first use the whole width of the window. */
  wide?: boolean;
  /** Made by createRoute. Not declared as AnyRoute: by inference, the paths and parameters of the routes would be any, too. */
  routes: readonly unknown[];
  /** Further pages that the palette offers. */
  actions?: readonly { path: string; label: string; scope: string }[];
  search?: Search;
}

export type Group = 'watch' | 'build' | 'setUp';

/** Search finds resources of a feature in the palette. */
export interface Search {
  label: string;
  /** A hook. The needle is in lower case; where enabled is false, the user may not see the feature. */
  useFound: (needle: string, enabled: boolean) => Found[];
}

/** Found is a resource that the palette has found. */
export interface Found {
  id: string;
  label: string;
  hint?: string;
  open: () => void;
}

/** matches reports whether one of the values contains the needle. */
export const matches = (needle: string, ...values: (string | null | undefined)[]) =>
  values.some((v) => v?.toLowerCase().includes(needle));
