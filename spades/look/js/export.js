// Taking a figure away: the server draws it as a chart, the exporter of all charts makes the files.

const exportButton = (label, name, onClick) => button(
  'export', { 'aria-label': label, title: label, 'data-testid': `rv-export-${name}` }, onClick,
  icon(ICONS.download), 'Export',
);

/** Ask the server for a figure of these plies; it comes with the next data. */
function askForExport(app, figure, plies) {
  app.exporting = `${figure} ${performance.now()}`;
  app.exported = figure;
  app.reportNow(); // the server is to be at the same place
  app.setTriggerValue('export', { id: app.exporting, figure, plies });
}

/** Open the exporter with the figure that was asked for, once. */
async function openExported(app, exported) {
  if (!exported || exported.id !== app.exporting) return;
  app.exporting = null;
  try {
    const dialog = new URL('./export/dialog.js', document.baseURI).href; // fetched at its first use
    const { openExport } = await import(dialog);
    const opener = () => app.root.querySelector(`[data-testid=rv-export-${app.exported}]`);
    openExport({ offsetHeight: 0, ...exported.figure }, opener);
  } catch {
    app.toast.say('Export: the server doesn’t answer');
  }
}
