// The component in a notebook, for anywidget: data come from the kernel, which is told where one is.

function render({ model, el: host }) {
  host.classList.add('spades-table');
  const mount = el('div', 'rv-mount');
  host.replaceChildren(mount);
  const app = new ReplayApp(mount);
  app.needsFocus = true; // other keys are the notebook's
  app.root.tabIndex = 0;
  app.setStateValue = (name, value) => {
    if (name !== 'ply') return;
    model.set('ply', value);
    model.save_changes();
  };
  const receive = () => app.receive({ ...model.get('shown'), decisions: model.get('decisions') });
  model.on('change:decisions', receive);
  app.attach();
  receive();
  return () => {
    model.off('change:decisions', receive);
    app.detach();
  };
}

export default { render };
