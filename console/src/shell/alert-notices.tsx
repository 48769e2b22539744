import { Stack, Switch, Text } from '@mantine/core';
import { useLocalStorage } from '@mantine/hooks';
import { stream } from '@operational-events/client';
import { useSuspenseQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useEffectEvent, useState } from 'react';
import { api } from '../api/client.js';
import { me } from '../api/queries.js';
import { wordsOf } from '../parts/words.js';
import { useCurrentProject } from './current-project.js';

/** The time between two tries to read the stream. */
const RETRY_MS = 10_000;

type Chosen = readonly [boolean, (isChosen: boolean) => void];

/** Returns the name of the lock that the tabs of a project that can be seen hold together. */
const seenLock = (projectId: string) => `console-seen-${projectId}`;

/** Whether a person wants notifications of the browser for a project. The browser remembers it. */
function useChosen(projectId: string): Chosen {
  const { data: person } = useSuspenseQuery(me);
  const [isChosen, setIsChosen] = useLocalStorage({
    key: `console-alert-notices-${person.id}-${projectId}`,
    defaultValue: false,
    getInitialValueInEffect: false,
  });
  return [isChosen, setIsChosen];
}

/** Browsers show notifications, and know locks, only on https pages and on this machine. */
function canNotify(): boolean {
  return 'Notification' in window && 'locks' in navigator;
}

const CANNOT = 'This browser shows notifications only for https addresses';
const DENIED = 'The browser blocks notifications of this page. Its settings for the page can allow them.';
/** Browsers of phones construct notifications only in a service worker, which the console does not have. */
const NOT_HERE = 'This browser does not show notifications of open pages';

/** Switches the notifications of the browser on. The browser asks for permission only then. */
export function NoticeSwitch() {
  const { project } = useCurrentProject();
  const [isChosen, setIsChosen] = useChosen(project.id);
  const [refusal, setRefusal] = useState<string | null>(null);
  const change = async (isWanted: boolean): Promise<void> => {
    setRefusal(null);
    if (!isWanted) return setIsChosen(false);
    if (!canNotify()) return setRefusal(CANNOT);
    if ((await Notification.requestPermission()) !== 'granted') return setRefusal(DENIED);
    try {
      new Notification(`New alerts of ${project.name} are shown here`, { tag: 'chosen' });
      setIsChosen(true);
    } catch {
      setRefusal(NOT_HERE);
    }
  };
  const isOn = isChosen && canNotify() && Notification.permission === 'granted';
  const why = refusal ?? (isChosen && !isOn ? DENIED : null);
  return (
    <Stack gap={2}>
      <Switch
        label="Notify me in this browser"
        description="About new alerts, also silenced ones, while the console is open in another tab"
        checked={isOn}
        onChange={(event) => void change(event.currentTarget.checked)}
      />
      {why !== null && (
        <Text size="xs" role="alert">
          {why}
        </Text>
      )}
    </Stack>
  );
}

/** Shows new alerts as notifications of the browser while no tab of the project can be seen. */
export function AlertNotices() {
  const { organization, project } = useCurrentProject();
  const [isChosen] = useChosen(project.id);
  const navigate = useNavigate();
  const open = useEffectEvent((alert: string) => {
    window.focus();
    void navigate({
      to: '/o/$organization/p/$project/alerts',
      params: { organization: organization.slug, project: project.slug },
      search: { status: 'all', alert },
    });
  });
  const isOn = isChosen && canNotify() && Notification.permission === 'granted';
  const { id, name } = project;
  useEffect(() => {
    if (!isOn) return;
    const stop = new AbortController();
    holdWhileSeen(id, stop.signal);
    // Only one tab reads the stream, so that each alert is shown once. When it is closed, another one goes on.
    navigator.locks
      .request(`console-alert-notices-${id}`, { signal: stop.signal }, () => follow(id, name, open, stop.signal))
      // It ends with the wait for the lock.
      .catch(() => undefined);
    return () => stop.abort();
  }, [isOn, id, name]);
  return null;
}

async function follow(
  project_id: string,
  project: string,
  open: (alert: string) => void,
  signal: AbortSignal,
): Promise<void> {
  let start = Infinity;
  /** The stream begins with alerts that exist already. The clock of the service says which. */
  const opened: typeof api.streamAlertEvents = async (args, options) => {
    const answer = await api.streamAlertEvents(args, options);
    const date = Date.parse(answer.headers.get('Date') ?? '');
    start = Math.min(start, Number.isNaN(date) ? Date.now() : date);
    return answer;
  };
  const known = new Set<string>();
  const read = async () => {
    for await (const { alert_event: alert } of stream(opened, { query: { project_id } }, { signal })) {
      const isNew = Date.parse(alert.created_at) >= start && !known.has(alert.id);
      known.add(alert.id);
      if (!isNew || alert.status !== 'open' || (await isSeen(project_id))) continue;
      // Others can read the screen, so nothing of an event is shown: no message, no values.
      const notice = new Notification(`${wordsOf(alert.severity)} alert in ${project}`, {
        tag: alert.id,
        ...(alert.rule_name !== null && { body: alert.rule_name }),
      });
      notice.onclick = () => {
        notice.close();
        open(alert.id);
      };
    }
  };
  while (!signal.aborted) {
    // The page of alerts reports why the stream cannot be read.
    await read().catch(() => undefined);
    await pause(RETRY_MS, signal);
  }
}

/** Waits. @param signal ends the wait at once */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener('abort', done);
    if (signal.aborted) done();
  });
}

/** Returns whether a tab of the project can be seen. Its page shows new alerts itself. */
async function isSeen(projectId: string): Promise<boolean> {
  const { held = [] } = await navigator.locks.query();
  return held.some(({ name }) => name === seenLock(projectId));
}

/** Holds the lock of tabs that can be seen whenever this one can be. */
function holdWhileSeen(projectId: string, signal: AbortSignal): void {
  const hold = () => {
    if (document.visibilityState === 'visible')
      void navigator.locks.request(seenLock(projectId), { mode: 'shared' }, () => untilHidden(signal));
  };
  document.addEventListener('visibilitychange', hold, { signal });
  hold();
}

function untilHidden(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const over = new AbortController();
    const check = () => {
      if (document.visibilityState === 'visible' && !signal.aborted) return;
      over.abort();
      resolve();
    };
    document.addEventListener('visibilitychange', check, { signal: over.signal });
    signal.addEventListener('abort', check, { signal: over.signal });
    check();
  });
}
