import { NavLink, Stack, Text } from '@mantine/core';
import { Icon } from '../parts/icons.js';
import { useCurrentProject } from './current-project.js';
import { railEntry, RailTip } from './navigation.js';
import { usePins, useSavedViews } from './pins.js';
import { iconOfView, useShowView } from './saved-view-page.js';

interface Props {
  readonly isRail: boolean;
  readonly onGo: () => void;
}

/** The pinned views, which open their page with their filters. Nothing without any. */
export function PinnedViews({ isRail, onGo }: Props) {
  const { project } = useCurrentProject();
  const { ids } = usePins(project.id);
  const views = useSavedViews(project.id, ids.length > 0);
  const show = useShowView();
  const pinned = ids.flatMap((id) => views.filter((view) => view.id === id));
  if (pinned.length === 0) return null;
  return (
    <Stack gap={2} mb="sm" role="group" aria-label="Pinned views">
      {!isRail && (
        <Text fz="xs" fw={600} c="dimmed" px="sm" py={4} aria-hidden>
          Pinned
        </Text>
      )}
      {pinned.map((view) => (
        <RailTip key={view.id} isRail={isRail} label={view.name}>
          <NavLink
            component="button"
            label={view.name}
            noWrap
            leftSection={<Icon name={iconOfView(view)} />}
            onClick={() => {
              onGo();
              void show(view);
            }}
            {...railEntry(isRail, view.name)}
          />
        </RailTip>
      ))}
    </Stack>
  );
}
