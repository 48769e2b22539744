import { LinkButton } from '../../parts/links.js';
import { useCurrentProject } from '../../shell/current-project.js';

/** Links to the page that sends a first event. */
export function SendAnEvent() {
  const { organization, project } = useCurrentProject();
  return (
    <LinkButton
      to="/o/$organization/p/$project/first-event"
      params={{ organization: organization.slug, project: project.slug }}
    >
      Send an event
    </LinkButton>
  );
}
