"""What the pages share. Streamlit is imported here, in app.py and in pages, nowhere else."""
