export default function ({ data }) {
  const sidebar = document.querySelector('[data-testid=stSidebar]');
  const makeRoom = (event) => {
    const isLink = event.target.closest('[data-testid=stPageLink-NavLink]');
    if (!isLink || window.innerWidth >= data.overlaysBelow) return;
    sidebar.querySelector('[data-testid=stSidebarCollapseButton] button')?.click();
  };
  sidebar?.addEventListener('click', makeRoom);
  return () => sidebar?.removeEventListener('click', makeRoom);
}
