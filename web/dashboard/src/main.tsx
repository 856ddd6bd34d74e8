import '@mantine/core/styles.css';
import './style.css';
import { createTheme, MantineProvider } from '@mantine/core';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { lazy, StrictMode, Suspense } from 'react';
import { createRoot } from 'react-dom/client';
import { Problem } from './api/client';
import { loadFirst } from './api/home';
import { router } from './router';
import { texts } from './texts';

const queries = new QueryClient({
  defaultOptions: {
    queries: { staleTime: 5000, retry: (count, error) => !(error instanceof Problem) && count < 1, networkMode: 'always' },
    mutations: { networkMode: 'always' },
  },
});

void loadFirst(queries, location.pathname);

const Notices = lazy(() => import('./parts/Notices').then((m) => ({ default: m.Notices })));

const theme = createTheme({
  primaryColor: 'indigo',
  primaryShade: { light: 7, dark: 7 },
  autoContrast: true,
  colors: { dark: ['#e6e8ec', '#c3c8d1', '#a0a7b4', '#767d8b', '#3a3f49', '#2a2d34', '#1b1e23', '#101215', '#0c0d10', '#08090b'] },
  defaultRadius: 'md',
  fontFamily: 'Inter, system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif',
  fontFamilyMonospace: 'ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace',
  headings: { fontWeight: '600', sizes: { h1: { fontSize: '1.375rem', lineHeight: '1.3' }, h2: { fontSize: '1rem', lineHeight: '1.4' } } },
  cursorType: 'pointer',
  components: { Notification: { defaultProps: { closeButtonProps: { 'aria-label': texts.common.dismiss } } } },
});

createRoot(document.getElementById('root') as HTMLElement).render(
  <StrictMode>
    <QueryClientProvider client={queries}>
      <MantineProvider theme={theme} defaultColorScheme="auto">
        <RouterProvider router={router} context={{ queries }} />
        <Suspense><Notices /></Suspense>
      </MantineProvider>
    </QueryClientProvider>
  </StrictMode>,
);
