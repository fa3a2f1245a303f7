# The dashboard, and the Dask scheduler and workers that compute for it: compose.yaml starts all three.
FROM python:3.11-slim AS install
WORKDIR /source
RUN python -m venv /opt/spades
ENV PATH=/opt/spades/bin:$PATH
COPY requirements.lock .
RUN pip install --no-cache-dir --require-hashes -r requirements.lock
COPY . .
RUN pip install --no-cache-dir --no-deps --no-build-isolation .

FROM python:3.11-slim
COPY --from=install /opt/spades /opt/spades
RUN useradd --create-home spades && install -d -o spades /data
USER spades
WORKDIR /home/spades
ENV PATH=/opt/spades/bin:$PATH
# Logs, results, games, models and compiled kernels: a volume keeps them.
ENV SPADES_DATA=/data SPADES_CACHE=/data/kernels
VOLUME /data
EXPOSE 8501
HEALTHCHECK --start-period=60s \
  CMD python -c "import urllib.request as web; web.urlopen('http://127.0.0.1:8501/_stcore/health')"
CMD ["spades", "dashboard", "--address", "0.0.0.0"]
