import { ActionIcon, Card, Group, Menu, Text, Title, Tooltip } from '@mantine/core';
import { CatchBoundary } from '@tanstack/react-router';
import { type KeyboardEvent, type RefObject, useEffect, useId, useMemo, useRef, useState } from 'react';
import { ReadingContext } from '../../parts/answers.js';
import { Icon } from '../../parts/icons.js';
import { LinkItem } from '../../parts/links.js';
import { PendingPage } from '../../shell/around-pages.js';
import { useCurrentProject } from '../../shell/current-project.js';
import { Answer } from './answer.js';
import { narrowed, type Panel, type Question, questionOf } from './content.js';
import type { Move } from './layout.js';

/** How a panel is changed. */
export interface PanelActs {
  readonly onMove: (move: Move) => void;
  readonly onRename: () => void;
  readonly onDuplicate: () => void;
  readonly onRemove: () => void;
}

interface Props {
  readonly panel: Panel;
  /** Conditions in EQL, from the variables. */
  readonly clauses: readonly string[];
  /** The milliseconds for which its answer is not read again. */
  readonly restMs: number;
  readonly onShow: (eventId: string) => void;
  /** Undefined: the dashboard is not being edited. */
  readonly acts?: PanelActs | undefined;
}

/** A panel begins to load when it is this near to the visible part. */
const NEAR = '200px';

const KEYS: Readonly<Record<string, readonly [move: Move, size: Move]>> = {
  ArrowLeft: ['left', 'narrower'],
  ArrowRight: ['right', 'wider'],
  ArrowUp: ['up', 'shorter'],
  ArrowDown: ['down', 'taller'],
};

/** Shows one question with its title. The answer is read while the panel is in view. */
export function PanelView({ panel, clauses, restMs, onShow, acts }: Props) {
  const { project } = useCurrentProject();
  const titleId = useId();
  const ref = useRef<HTMLDivElement>(null);
  const { isInView, wasSeen } = useInView(ref);
  const [isOld, onOld] = useState(false);
  const reading = useMemo(() => ({ isInView, restMs, onOld }), [isInView, restMs]);
  const question = questionOf(panel.question);
  return (
    <Card ref={ref} withBorder padding="sm" component="section" aria-labelledby={titleId} className="panel">
      <Group gap={4} wrap="nowrap" className="panel-head">
        {acts !== undefined && <Handle title={panel.title} onMove={acts.onMove} />}
        <Title order={2} size="h5" id={titleId} flex={1} lineClamp={1} title={panel.title}>
          {panel.title}
        </Title>
        <PanelMenu title={panel.title} question={question && narrowed(question, clauses)} acts={acts} />
      </Group>
      <div
        className="panel-body"
        role="group"
        tabIndex={0}
        aria-label={`Content of ${panel.title}`}
        aria-busy={isOld}
        style={{ opacity: isOld ? 0.5 : 1 }}
      >
        {question === undefined ? (
          <Text c="dimmed" role="note">
            This version of the console does not know the question of this panel.
          </Text>
        ) : wasSeen ? (
          <CatchBoundary getResetKey={() => JSON.stringify(panel.question)} errorComponent={Broken}>
            <ReadingContext value={reading}>
              <Answer projectId={project.id} question={question} clauses={clauses} onShow={onShow} />
            </ReadingContext>
          </CatchBoundary>
        ) : (
          <PendingPage />
        )}
      </div>
    </Card>
  );
}

/** Returns whether an element is in view, or near it, and whether it ever was. */
function useInView(element: RefObject<Element | null>): { readonly isInView: boolean; readonly wasSeen: boolean } {
  const [state, setState] = useState({ isInView: false, wasSeen: false });
  useEffect(() => {
    if (element.current === null) return;
    const observer = new IntersectionObserver(
      // Several changes may come at once, the newest last.
      (changes) => {
        const isInView = changes.at(-1)?.isIntersecting === true;
        setState(({ wasSeen }) => ({ isInView, wasSeen: wasSeen || isInView }));
      },
      { rootMargin: NEAR },
    );
    observer.observe(element.current);
    return () => observer.disconnect();
  }, [element]);
  return state;
}

function Broken() {
  return (
    <Text c="dimmed" role="note">
      This panel could not be drawn. Remove it, or pin its question again.
    </Text>
  );
}

function Handle({ title, onMove }: { readonly title: string; readonly onMove: PanelActs['onMove'] }) {
  const onKeyDown = (event: KeyboardEvent) => {
    const moves = KEYS[event.key];
    if (moves === undefined) return;
    event.preventDefault();
    onMove(moves[event.shiftKey ? 1 : 0]);
  };
  return (
    <Tooltip
      label="Drag it, or use the arrow keys. With Shift they change the size."
      events={{ hover: true, focus: true, touch: false }}
    >
      <ActionIcon
        variant="subtle"
        color="gray"
        className="panel-handle"
        visibleFrom="sm"
        aria-label={`Move ${title}`}
        aria-keyshortcuts="ArrowLeft ArrowRight ArrowUp ArrowDown"
        onKeyDown={onKeyDown}
      >
        <Icon name="grip" size={16} />
      </ActionIcon>
    </Tooltip>
  );
}

interface MenuProps {
  readonly title: string;
  readonly question: Question | undefined;
  readonly acts: PanelActs | undefined;
}

function PanelMenu({ title, question, acts }: MenuProps) {
  if (question === undefined && acts === undefined) return null;
  return (
    <Menu position="bottom-end" closeOnItemClick>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" aria-label={`Actions for ${title}`}>
          <Icon name="more" size={16} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {question !== undefined && <OpenItem question={question} />}
        {acts !== undefined && (
          <>
            <Menu.Item onClick={acts.onRename}>Rename</Menu.Item>
            <Menu.Item onClick={acts.onDuplicate}>Duplicate</Menu.Item>
            <Menu.Item onClick={() => acts.onMove('up')}>Move up</Menu.Item>
            <Menu.Item onClick={() => acts.onMove('down')}>Move down</Menu.Item>
            <Menu.Item visibleFrom="sm" onClick={() => acts.onMove('wider')}>
              Make wider
            </Menu.Item>
            <Menu.Item visibleFrom="sm" onClick={() => acts.onMove('narrower')}>
              Make narrower
            </Menu.Item>
            <Menu.Item color="red" onClick={acts.onRemove}>
              Remove
            </Menu.Item>
          </>
        )}
      </Menu.Dropdown>
    </Menu>
  );
}

const BASE = '/o/$organization/p/$project';

/** Opens the page on which the question can be changed. */
function OpenItem({ question }: { readonly question: Question }) {
  const { organization, project } = useCurrentProject();
  const params = { organization: organization.slug, project: project.slug };
  switch (question.kind) {
    case 'analysis':
    case 'figure':
      return (
        <LinkItem to={`${BASE}/analytics`} params={params} search={question.search}>
          Open in Analytics
        </LinkItem>
      );
    case 'query':
      return (
        <LinkItem to={`${BASE}/eql`} params={params} search={question.search}>
          Open in Query
        </LinkItem>
      );
    case 'performance':
      return (
        <LinkItem to={`${BASE}/performance`} params={params} search={question.search}>
          Open in Performance
        </LinkItem>
      );
    case 'logs':
      return (
        <LinkItem to={`${BASE}/logs`} params={params} search={question.search}>
          Open in Logs
        </LinkItem>
      );
  }
}
