"""The log-linear model of Devlin 2016 and its fit."""
