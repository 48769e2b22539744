import './nonce.js';
import '@mantine/core/styles.css';
import '@mantine/spotlight/styles.css';
import './page.css';
import { MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { flushSync } from 'react-dom';
import { createRoot } from 'react-dom/client';
import { NONCE } from './nonce.js';
import { early } from './pages/sign-in/early.js';
import { router } from './router.js';
import { queries } from './routes/around.js';
import { readable, theme } from './theme.js';

// The component of the page loads while the session is restored, not after that.
const [shown] = router.getMatchedRoutes(router.latestLocation.pathname);
for (const { options } of shown) void (options as { component?: { preload?: () => unknown } }).component?.preload?.();

const root = document.getElementById('root');
if (root === null) throw new Error('The page has no root');
// The sign-in page that the build has rendered stays until the script can replace it at once.
if (root.firstChild !== null) await router.load();
flushSync(() => {
  early.read(root);
  root.removeAttribute('data-drawn-by-build');
  createRoot(root).render(
    <StrictMode>
      <MantineProvider
        theme={theme}
        cssVariablesResolver={readable}
        defaultColorScheme="auto"
        getStyleNonce={() => NONCE}
      >
        <QueryClientProvider client={queries}>
          <RouterProvider router={router} />
        </QueryClientProvider>
      </MantineProvider>
    </StrictMode>,
  );
});
