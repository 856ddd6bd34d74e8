import { QueryClient } from '@tanstack/react-query';
import { Problem } from './api/client';

/** queries holds what was loaded from the API. */
export const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 5000,
      retry: (count, error) => !(error instanceof Problem) && count < 1,
      networkMode: 'always',
    },
    mutations: { networkMode: 'always' },
  },
});
