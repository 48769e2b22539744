import { Alert } from '@mantine/core';
import { onlineManager } from '@tanstack/react-query';
import { Outlet } from '@tanstack/react-router';
import { useSyncExternalStore } from 'react';
import { currentWait, onWait } from '../api/waiting.js';

/** Every page, with a notice while requests wait. */
export function RootPage() {
  return (
    <>
      <Outlet />
      <Waiting />
    </>
  );
}

/** Says why nothing arrives now. Requests are sent again without any action of the person. */
function Waiting() {
  const isOnline = useSyncExternalStore(
    (listener) => onlineManager.subscribe(listener),
    () => onlineManager.isOnline(),
  );
  const seconds = useSyncExternalStore(onWait, currentWait);
  if (isOnline && seconds === null) return null;
  return (
    <Alert
      role="status"
      className="waiting"
      title={isOnline ? 'The service is busy' : 'You are offline'}
      variant="default"
    >
      {isOnline
        ? `It asks to wait for ${seconds === 1 ? 'a second' : `${seconds} seconds`}. The page then goes on by itself.`
        : 'The page goes on by itself when the connection is back.'}
    </Alert>
  );
}
