import '@mantine/core/styles.css';
import './style.css';
import { createTheme, MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { lazy, StrictMode, Suspense } from 'react';
import { createRoot } from 'react-dom/client';
import { loadFirst } from './features/home/api';
import { queries } from './queries';
import { router } from './router';
import { texts } from './ui/texts';

void loadFirst(queries, location.pathname);

const Notices = lazy(() => import('./shell/Notices').then((m) => ({ default: m.Notices })));

const theme = createTheme({
  primaryColor: 'indigo',
  primaryShade: { light: 7, dark: 7 },
  autoContrast: true,
  colors: {
    dark: [
      '#e6e8ec',
      '#c3c8d1',
      '#a0a7b4',
      '#767d8b',
      '#3a3f49',
      '#2a2d34',
      '#1b1e23',
      '#101215',
      '#0c0d10',
      '#08090b',
    ],
  },
  defaultRadius: 'md',
  fontFamily: 'Inter, system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif',
  fontFamilyMonospace: 'ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace',
  headings: {
    fontWeight: '600',
    sizes: { h1: { fontSize: '1.375rem', lineHeight: '1.3' }, h2: { fontSize: '1rem', lineHeight: '1.4' } },
  },
  cursorType: 'pointer',
  components: { Notification: { defaultProps: { closeButtonProps: { 'aria-label': texts.common.dismiss } } } },
});

createRoot(document.getElementById('root') as HTMLElement).render(
  <StrictMode>
    <QueryClientProvider client={queries}>
      <MantineProvider theme={theme} defaultColorScheme="auto">
        <RouterProvider router={router} />
        <Suspense>
          <Notices />
        </Suspense>
      </MantineProvider>
    </QueryClientProvider>
  </StrictMode>,
);
