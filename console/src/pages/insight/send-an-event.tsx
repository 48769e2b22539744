import { LinkButton } from '../../parts/links.js';
import { useCurrentProject } from '../../shell/current-project.js';

/** Leads to where a first event is sent. */
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
