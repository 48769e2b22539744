import { Stack, Text } from '@mantine/core';
import { Link, Outlet, useLocation } from '@tanstack/react-router';
import { Icon } from '../parts/icons.js';
import { LinkNav } from '../parts/links.js';
import { Mark } from '../parts/mark.js';
import { StepUp } from '../parts/step-up.js';
import { Frame } from './frame.js';
import { useTitle } from './navigation.js';

const PAGES = [
  { to: '/account', label: 'Profile', icon: 'user' },
  { to: '/account/factors', label: 'Second factors', icon: 'shield' },
  { to: '/account/sessions', label: 'Sessions', icon: 'devices' },
  { to: '/account/security-log', label: 'Security log', icon: 'logs' },
] as const;

/** The layout of the account pages, which also serves people without a project. */
export function AccountShell() {
  const pathname = useLocation({ select: (location) => location.pathname });
  const page = PAGES.find(({ to }) => to === pathname.replace(/(?<=.)\/$/, ''));
  useTitle(`${page?.label ?? 'Profile'} · Your account`);
  return (
    <Frame
      label="Pages of the account"
      head={
        <>
          <Link to="/" aria-label="To the console" style={{ display: 'flex' }}>
            <Mark />
          </Link>
          <Text fw={600}>Your account</Text>
        </>
      }
      pages={(close) => (
        <Stack gap={2}>
          {PAGES.map(({ to, label, icon }) => (
            <LinkNav
              key={to}
              to={to}
              label={label}
              leftSection={<Icon name={icon} />}
              activeOptions={{ exact: true, includeSearch: false }}
              onClick={close}
            />
          ))}
        </Stack>
      )}
      foot={(close) => (
        <LinkNav to="/" label="To the projects" leftSection={<Icon name="overview" />} onClick={close} />
      )}
    >
      <StepUp>
        <Outlet />
      </StepUp>
    </Frame>
  );
}
